// SPDX-License-Identifier: Apache-2.0
// Finds the recorder when the program starts, and again in every forked child.
#include <dlfcn.h>
#include <errno.h>
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
#include "collectors/preload/self.h"
#include "collectors/protocol/channel_pass.h"
#include "core/system/clock.h"

enum { CONNECT_TRIES = 3 };

// Numbers of processes must differ even where pids repeat: in several pid namespaces, or over time.
static void connect_name_process(void)
{
    preload_self.pid = getpid();
    preload_self.process = (uint64_t)preload_self.pid << 44 ^ clock_now();
}

static void connect_find_namespace(void)
{
    struct stat space;
    preload_self.other_namespace =
        stat("/proc/self/ns/pid", &space) < 0 || space.st_ino != preload_self.settings.pid_namespace;
}

static void connect_keep_environment(void)
{
    const char *address = getenv(CHANNEL_ENVIRONMENT), *library = getenv(CHANNEL_PRELOAD_ENVIRONMENT);
    snprintf(preload_self.address, sizeof preload_self.address, "%s", address ? address : "");
    snprintf(preload_self.library, sizeof preload_self.library, "%s", library ? library : "");
}

static void connect_limit(int fd, int option, uint64_t ms)
{
    ms = preload_patience_ms(ms);
    const struct timeval limit = {.tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000 * 1000)};
    setsockopt(fd, SOL_SOCKET, option, &limit, sizeof limit);
}

// Once the recorder has ended, anybody may listen under its name; and the ring shows stacks. The recorder is root's or
// of this user. syscall(): fakeroot replaces the C library's geteuid. In a user namespace a user may have no number.
static bool connect_is_trusted(int fd)
{
    enum { NO_NUMBER = 65534 };                       // /proc/sys/kernel/overflowuid
    const ino_t first_namespace = 0xEFFFFFFD;         // the kernel's PROC_USER_INIT_INO
    struct ucred listener;
    struct stat space;
    socklen_t size = sizeof listener;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &listener, &size) < 0)
        return false;
    if (listener.uid == 0 || listener.uid == (uid_t)syscall(SYS_geteuid))
        return true;
    return listener.uid == NO_NUMBER && stat("/proc/self/ns/user", &space) == 0 && space.st_ino != first_namespace;
}

static int connect_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strcspn(preload_self.address, ":");
    if (length == 0)
        return -ENOENT;
    memcpy(address.sun_path + 1, preload_self.address, length); // the leading NUL makes it abstract
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    connect_limit(fd, SO_RCVTIMEO, CHANNEL_ASK_MS);
    connect_limit(fd, SO_SNDTIMEO, CHANNEL_PATIENCE_MS);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    int status = connect(fd, (const struct sockaddr *)&address, size) < 0 ? -errno : 0;
    if (status == 0 && !connect_is_trusted(fd))
        status = -EPERM;
    if (status == 0)
        return fd;
    close(fd);
    return status;
}

static int connect_handshake(int fd, bool forked, int ring)
{
    struct channel_handshake handshake = {.process = preload_self.process,
                                  .time_ns = clock_now(),
                                  .pid = (uint32_t)preload_self.pid,
                                  .forked = forked,
                                  .own_allocator = preload_is_bypassed()};
    const char *secret = strchr(preload_self.address, ':');
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

// The recorder sets aside who connects and sends nothing, because it gets no CPU. Of too many, it closes the oldest;
// that process connects again.
static bool connect_is_cut_off(int status)
{
    return status == -EPIPE || status == -ECONNRESET;
}

// A stop, a freezer or a signal handler ends a wait that has a time limit (signal(7)), but the answer is still to come.
static bool connect_waits_on(int fd, ssize_t n, struct preload_wait *wait)
{
    struct ucred recorder = {0}; // the kernel names the process that listens; 0 where it has no number here
    socklen_t size = sizeof recorder;
    if (n >= 0 || (errno != EINTR && errno != EAGAIN))
        return false;
    const int kept_errno = errno;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &recorder, &size);
    const bool waits = preload_waits_on(wait, recorder.pid);
    errno = kept_errno;
    return waits;
}

// The answer: the settings, and with them the descriptor of the segment. Returns the descriptor.
static int connect_receive(int fd)
{
    struct channel_settings *settings = &preload_self.settings;
    struct preload_wait wait = {.since = clock_now()};
    int segment;
    ssize_t n;
    do
        n = channel_pass_receive(fd, settings, sizeof *settings, &segment);
    while (connect_waits_on(fd, n, &wait));
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
    return preload_map(sizeof(struct channel), MAP_SHARED, segment);
}

// The recorder answers a forked child with one byte. Returns 0 when it has come, else -errno.
static int connect_receive_byte(int fd)
{
    struct preload_wait wait = {.since = clock_now()};
    char answer;
    ssize_t n;
    do
        n = recv(fd, &answer, 1, 0);
    while (connect_waits_on(fd, n, &wait));
    const int status = n > 0 ? 0 : n == 0 ? -EPIPE : -errno;
    if (status == 0)
        preload_answered(true);
    return status;
}

// A forked child inherits the segment; it sends a handshake so that the recorder learns its pid. Where thread starts
// wait for the recorder, the child waits too: the answer comes when its events are open.
static void connect_forked_child(void)
{
    if (preload_is_filtered())
        return;
    preload_slot_forked();
    connect_name_process();
    if (!preload_channel())
        return;
    const struct preload_guard guard = preload_enter();
    clock_read_namespace();
    connect_find_namespace();
    alloc_write_forked();
    int ring = -1, status = -EPIPE;
    for (int i = 0; i < CONNECT_TRIES && connect_is_cut_off(status); i++) {
        int fd = connect_meet(true, &ring);
        status = fd;
        if (fd >= 0 && preload_awaits())
            status = connect_receive_byte(fd);
        if (fd >= 0)
            close(fd);
    }
    if (status == -EAGAIN) // timed out: no answer, or too many connections to accept this one
        preload_answered(false);
    if (ring >= 0)
        close(ring);
    preload_leave(guard);
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
    preload_self.channel = connect_map(segment);
    close(segment);
    return 0;
}

// The kernel's function under its own name (vdso(7)), so that no library's clock_gettime() is found in its place.
static void connect_find_clock(void)
{
#ifdef __x86_64__
    const char *name = "__vdso_clock_gettime";
#else
    const char *name = "__kernel_clock_gettime"; // arm64; elsewhere the library's name differs as well
#endif
    void *kernel = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    int (*get)(clockid_t, struct timespec *) = NULL;
    if (kernel)
        *(void **)&get = dlsym(kernel, name);
    clock_use(get);
}

static void connect_open(void)
{
    connect_keep_environment();
    connect_find_clock();
    clock_read_namespace();
    connect_name_process();
    thread_mask_get(0, &preload_self.mask);
    int ring = -1, status = -EPIPE;
    for (int i = 0; i < CONNECT_TRIES && connect_is_cut_off(status); i++)
        status = connect_once(&ring);
    if (ring >= 0)
        close(ring);
    preload_slot_start();
    alloc_thread_variables(1);
    if (!preload_self.channel)
        return;
    connect_find_namespace();
    pthread_atfork(NULL, NULL, connect_forked_child);
}

void preload_pin_alone(const uint32_t *cpus, uint32_t count, _Atomic uint32_t *users, bool is_target)
{
    if (preload_self.channel || count == 0)
        return;
    connect_name_process();
    thread_mask_get(0, &preload_self.mask);
    preload_self.settings = (struct channel_settings){.slot_count = count};
    preload_self.settings.target = is_target ? (uint32_t)preload_self.pid : 0;
    for (uint32_t i = 0; i < count; i++)
        preload_self.settings.slots[i] = (int32_t)cpus[i];
    preload_self.alone_users = users;
    preload_slot_start();
    pthread_atfork(NULL, NULL, preload_slot_forked);
}

void preload_connect(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (!environ || atomic_flag_test_and_set(&done)) // without an environment the C library has not begun
        return;
    const struct preload_guard guard = preload_enter();
    connect_open();
    preload_leave(guard);
}
