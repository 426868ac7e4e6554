// SPDX-License-Identifier: Apache-2.0
// Finds the recorder when the program starts, and again in every forked child.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "collectors/preload/alloc/alloc.h"
#include "collectors/preload/place/place.h"
#include "collectors/preload/preload.h"
#include "collectors/protocol/channel_pass.h"
#include "core/system/clock.h"

enum { CONNECT_TRIES = 3 };

static struct {
    struct channel *channel;
    struct channel_settings settings; // other users may write the shared ones
    uint64_t process;
    pid_t pid;
    struct cpulist mask;
    bool other_namespace;            // our thread numbers are not the recorder's, or this is not known
    _Atomic uint32_t *alone_users;   // of the CPU slots of a placement file; NULL: none
    char address[CHANNEL_ADDRESS], library[PATH_MAX];
} self;

void *preload_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

struct channel *preload_channel(void)
{
    struct channel *channel = self.channel;
    return channel && !atomic_load_explicit(&channel->recorder_gone, memory_order_relaxed) ? channel : NULL;
}

_Atomic uint32_t *preload_slot_users(void)
{
    struct channel *channel = preload_channel();
    return channel ? channel->slot_users : self.alone_users;
}

const struct channel_settings *preload_settings(void)
{
    return &self.settings;
}

uint64_t preload_process(void)
{
    return self.process;
}

bool preload_is_this_process(void)
{
    return self.pid == getpid();
}

// Numbers of threads in another pid namespace can be looked up only while the threads live.
bool preload_awaits(void)
{
    return preload_channel() && (self.settings.await_start || self.other_namespace);
}

const char *preload_channel_address(void)
{
    return self.address;
}

const char *preload_library(void)
{
    return self.library;
}

const struct cpulist *preload_process_mask(void)
{
    return &self.mask;
}

// Numbers of processes must differ even where pids repeat: in several pid namespaces, or over time.
static void connect_name_process(void)
{
    self.pid = getpid();
    self.process = (uint64_t)self.pid << 44 ^ clock_now();
}

static void connect_find_namespace(void)
{
    struct stat space;
    self.other_namespace = stat("/proc/self/ns/pid", &space) < 0 || space.st_ino != self.settings.pid_namespace;
}

static void connect_keep_environment(void)
{
    const char *address = getenv(CHANNEL_ENVIRONMENT), *library = getenv(CHANNEL_PRELOAD_ENVIRONMENT);
    snprintf(self.address, sizeof self.address, "%s", address ? address : "");
    snprintf(self.library, sizeof self.library, "%s", library ? library : "");
}

static int connect_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strcspn(self.address, ":");
    if (length == 0)
        return -ENOENT;
    memcpy(address.sun_path + 1, self.address, length); // the leading NUL makes it abstract
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    const struct timeval patience = {.tv_sec = CHANNEL_PATIENCE_MS / 1000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    if (connect(fd, (const struct sockaddr *)&address, size) < 0) {
        int status = -errno;
        close(fd);
        return status;
    }
    return fd;
}

static int connect_handshake(int fd, bool forked, int ring)
{
    struct channel_handshake handshake = {.process = self.process,
                                  .time_ns = clock_now(),
                                  .pid = (uint32_t)self.pid,
                                  .forked = forked,
                                  .own_allocator = alloc_is_bypassed()};
    const char *secret = strchr(self.address, ':');
    if (secret)
        memcpy(handshake.secret, secret + 1, strnlen(secret + 1, sizeof handshake.secret));
    return channel_pass_send(fd, &handshake, sizeof handshake, ring, 0) == sizeof handshake ? 0 : -errno;
}

// Connects and sends the handshake of this process. *ring: its ring of allocations, made at the first connection and
// shared with the recorder; without a ring, heap blocks have no names. Returns the socket or -errno.
static int connect_meet(bool forked, int *ring)
{
    int fd = connect_socket();
    if (fd < 0)
        return fd;
    if (*ring < 0)
        *ring = alloc_write_make();
    const int status = connect_handshake(fd, forked, *ring);
    if (status == 0)
        return fd;
    close(fd);
    return status;
}

// The recorder waits 100 ms for the handshake. On busy CPUs the process may sleep for longer after it connects, and is
// disconnected: it tries again.
static bool connect_is_cut_off(int status)
{
    return status == -EPIPE || status == -ECONNRESET;
}

// The answer: the settings, and with them the descriptor of the segment. Returns the descriptor.
static int connect_receive(int fd)
{
    struct channel_settings *settings = &self.settings;
    int segment;
    ssize_t n = channel_pass_receive(fd, settings, sizeof *settings, &segment);
    bool is_whole = n >= (ssize_t)channel_settings_bytes(0) && settings->slot_count <= CPULIST_MAX &&
                    n == (ssize_t)channel_settings_bytes(settings->slot_count);
    if (is_whole && segment >= 0 && settings->version == CHANNEL_VERSION)
        return segment;
    const int status = n == 0 ? -EPIPE : n < 0 ? -errno : -EPROTO;
    *settings = (struct channel_settings){0};
    if (segment >= 0)
        close(segment);
    return status;
}

static struct channel *connect_map(int segment)
{
    struct stat status;
    if (fstat(segment, &status) < 0 || (size_t)status.st_size < sizeof(struct channel))
        return NULL;
    struct channel *channel = mmap(NULL, sizeof *channel, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);
    return channel != MAP_FAILED ? channel : NULL;
}

// A forked child inherits the segment; it sends a handshake so that the recorder learns its pid. Where thread starts
// wait for the recorder, the child waits too: the answer comes when its events are open.
static void connect_forked_child(void)
{
    if (!preload_channel())
        return;
    clock_read_namespace();
    connect_name_process();
    connect_find_namespace();
    preload_slot_forked();
    alloc_write_forked();
    int ring = -1, status = -EPIPE;
    for (int i = 0; i < CONNECT_TRIES && connect_is_cut_off(status); i++) {
        int fd = connect_meet(true, &ring);
        char answer;
        status = fd;
        if (fd >= 0 && preload_awaits() && recv(fd, &answer, 1, 0) <= 0)
            status = -EPIPE;
        if (fd >= 0)
            close(fd);
    }
    if (ring >= 0)
        close(ring);
}

static int connect_once(int *ring)
{
    int fd = connect_meet(false, ring);
    if (fd < 0)
        return fd;
    int segment = connect_receive(fd);
    close(fd);
    if (segment < 0)
        return segment;
    self.channel = connect_map(segment);
    close(segment);
    return 0;
}

static void connect_open(void)
{
    connect_keep_environment();
    clock_read_namespace();
    connect_name_process();
    thread_mask_get(0, &self.mask);
    int ring = -1, status = -EPIPE;
    for (int i = 0; i < CONNECT_TRIES && connect_is_cut_off(status); i++)
        status = connect_once(&ring);
    if (ring >= 0)
        close(ring);
    preload_slot_start();
    preload_slot_begin_at_first();
    alloc_thread_variables(1);
    if (!self.channel)
        return;
    connect_find_namespace();
    pthread_atfork(NULL, NULL, connect_forked_child);
}

void preload_pin_alone(const uint32_t *cpus, uint32_t count, _Atomic uint32_t *users)
{
    if (self.channel || count == 0)
        return;
    connect_name_process();
    thread_mask_get(0, &self.mask);
    self.settings = (struct channel_settings){.target = (uint32_t)self.pid, .slot_count = count};
    for (uint32_t i = 0; i < count; i++)
        self.settings.slots[i] = (int32_t)cpus[i];
    self.alone_users = users;
    preload_slot_start();
    preload_slot_begin_at_first();
    pthread_atfork(NULL, NULL, preload_slot_forked);
}

void preload_connect(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    int kept_errno = errno;
    if (environ && !atomic_flag_test_and_set(&done)) // without an environment the C library has not begun
        connect_open();
    errno = kept_errno;
}

// 101 runs before constructors without a number, so that threads started by those are seen. Constructors of libraries
// may have run before.
__attribute__((constructor(101))) static void connect_start(void)
{
    preload_connect();
    place_open();
}
