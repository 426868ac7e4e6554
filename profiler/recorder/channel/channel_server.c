// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/channel/channel_server.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/protocol/channel_pass.h"
#include "collectors/protocol/channel_slots.h"
#include "core/process/memory_file.h"
#include "core/process/process_stat.h"
#include "core/system/abstract_name.h"
#include "core/system/clock.h"

static long channel_server_futex(_Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, operation, value, timeout, NULL, 0); // not private: another process waits or wakes
}

// Held by the thread that opens the server, until it or the whole recorder dies: the sign of life for the target.
static int channel_server_hold_mutex(struct channel_server *server)
{
    struct channel *shared = server->shared;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    int status = -pthread_mutex_init(&shared->recorder, &attributes);
    pthread_mutexattr_destroy(&attributes);
    if (status == 0)
        status = -pthread_mutex_lock(&shared->recorder);
    server->held = shared->recorder;
    return status;
}

static void channel_server_hold_back(struct channel_server *server)
{
    for (size_t i = 0; i < CHANNEL_SERVER_SPARE; i++)
        if (server->spare[i] < 0)
            server->spare[i] = fcntl(server->listener, F_DUPFD_CLOEXEC, 0);
}

static void channel_server_give_out(struct channel_server *server)
{
    for (size_t i = 0; i < CHANNEL_SERVER_SPARE; i++) {
        if (server->spare[i] >= 0)
            close(server->spare[i]);
        server->spare[i] = -1;
    }
}

static void channel_server_close_listener(struct channel_server *server)
{
    channel_server_give_out(server);
    while (server->silent_count > 0)
        close(server->silent[--server->silent_count]);
    if (server->listener >= 0)
        close(server->listener);
    server->listener = -1;
}

void channel_server_leave(struct channel_server *server)
{
    atomic_store(&server->shared->recorder_gone, 1);
    channel_server_close_listener(server); // the kernel resets the connections that were not taken
}

// The C library unlinks a robust mutex from a list whose pointers stand in it, and there anybody may have overwritten
// them. So our pages are exchanged for private ones, with the mutex as we locked it. For the target, recorder_gone is
// enough.
static void channel_server_unmap(struct channel_server *server)
{
    struct channel *shared = server->shared;
    channel_server_leave(server);
    void *own = mmap(shared, sizeof *shared, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (own == MAP_FAILED)
        return; // stays mapped, as the list still leads there
    shared->recorder = server->held;
    pthread_mutex_unlock(&shared->recorder);
    munmap(shared, sizeof *shared);
}

static int channel_server_map(struct channel_server *server)
{
    // Sealed: a target that made it shorter would be our SIGBUS.
    server->segment = memory_file_make("numaprof", sizeof(struct channel));
    if (server->segment < 0)
        return server->segment;
    if (fcntl(server->segment, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -errno;
    void *shared = mmap(NULL, sizeof(struct channel), PROT_READ | PROT_WRITE, MAP_SHARED, server->segment, 0);
    if (shared == MAP_FAILED)
        return -errno;
    server->shared = shared;
    return channel_server_hold_mutex(server);
}

// A name nobody can guess, so that nobody waits there before us. /proc/net/unix shows it to everybody, but not the
// secret.
static int channel_server_listen(struct channel_server *server)
{
    uint64_t random[4];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -errno;
    snprintf(server->address, sizeof server->address, "numaprof-%016lx%016lx:%016lx%016lx", random[0], random[1],
             random[2], random[3]);
    const struct abstract_name name = abstract_name("%.*s", (int)strcspn(server->address, ":"), server->address);
    server->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener < 0)
        return -errno;
    if (bind(server->listener, (const struct sockaddr *)&name.address, name.size) < 0 ||
        listen(server->listener, SOMAXCONN) < 0)
        return -errno;
    return 0;
}

int channel_server_open(struct channel_server *server, const int *slots, size_t count, bool await_start)
{
    *server = (struct channel_server){.segment = -1, .listener = -1, .spare = {-1, -1}};
    int status = channel_server_map(server);
    if (status == 0)
        status = channel_server_listen(server);
    if (status < 0) {
        channel_server_close(server);
        return status;
    }
    channel_server_hold_back(server);
    server->settings = (struct channel_settings){
        .version = CHANNEL_VERSION, .await_start = await_start, .slot_count = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        server->settings.slots[i] = slots[i];
    return 0;
}

void channel_server_close(struct channel_server *server)
{
    channel_server_close_listener(server);
    if (server->segment >= 0)
        close(server->segment);
    if (server->shared)
        channel_server_unmap(server);
    *server = (struct channel_server){.segment = -1, .listener = -1, .spare = {-1, -1}};
}

// --- connections

// Parent of a process as the kernel says it; -errno.
static pid_t channel_server_parent(pid_t pid)
{
    char text[1024];
    const char *fields;
    int parent, status = process_stat_read(text, sizeof text, &fields, pid);
    if (status < 0)
        return status;
    return sscanf(fields, "%*c %d", &parent) == 1 ? parent : -EINVAL;
}

int channel_server_descends(pid_t pid)
{
    enum { GENERATIONS = 4096 };
    const pid_t self = getpid();
    for (int i = 0; i < GENERATIONS && pid > 0; i++) {
        pid_t parent = channel_server_parent(pid);
        if (parent == self)
            return 0;
        if (parent == -ENOENT || parent == -ESRCH)
            return access("/proc/self/stat", F_OK) == 0 ? -ESRCH : 0;
        pid = parent;
    }
    return -EPERM;
}

static void channel_server_drop_silent(struct channel_server *server, size_t at)
{
    memmove(&server->silent[at], &server->silent[at + 1], (--server->silent_count - at) * sizeof *server->silent);
}

// Sets a connection aside that has sent nothing yet; the oldest of too many is closed, and asks again. False: then
// descriptors would be missing for the next connection.
static bool channel_server_set_aside(struct channel_server *server, int fd)
{
    if (server->silent_count == CHANNEL_SERVER_SILENT) {
        close(server->silent[0]);
        channel_server_drop_silent(server, 0);
    }
    channel_server_hold_back(server);
    bool is_rich = true;
    for (size_t i = 0; i < CHANNEL_SERVER_SPARE; i++)
        is_rich &= server->spare[i] >= 0;
    if (is_rich)
        server->silent[server->silent_count++] = fd;
    else
        channel_server_give_out(server);
    return is_rich;
}

// Who connects sends at once, unless it gets no CPU; a descendant that only connects must not hold us up.
static bool channel_server_has_sent(struct channel_server *server, int fd)
{
    enum { SOON_MS = 1, LATEST_MS = 100 };
    struct pollfd sent = {.fd = fd, .events = POLLIN};
    if (poll(&sent, 1, server->silent_count < CHANNEL_SERVER_SILENT / 2 ? SOON_MS : 0) > 0)
        return true;
    if (channel_server_set_aside(server, fd))
        return false;
    poll(&sent, 1, LATEST_MS);
    return true; // or it is closed
}

static int channel_server_handshake(struct channel_server *server, struct channel_connection *connection)
{
    struct channel_handshake *handshake = &connection->handshake;
    const char *secret = strchr(server->address, ':') + 1;
    if (!connection->is_gone && !channel_server_has_sent(server, connection->fd)) // what the dead sent is here
        return -EINPROGRESS;
    ssize_t n = channel_pass_receive(connection->fd, handshake, sizeof *handshake, &connection->ring);
    if (n == sizeof *handshake && memcmp(handshake->secret, secret, sizeof handshake->secret) == 0) {
        const uint64_t now = clock_now();
        handshake->time_ns = handshake->time_ns < now ? handshake->time_ns : now;
        return 0;
    }
    if (connection->ring >= 0)
        close(connection->ring);
    return n == sizeof *handshake ? -EPERM : -EPROTO;
}

void channel_server_set_target(struct channel_server *server, pid_t pid)
{
    struct stat space;
    server->settings.target = (uint32_t)pid;
    server->settings.pid_namespace = stat("/proc/self/ns/pid", &space) == 0 ? space.st_ino : 0;
}

// A connection that was silent and is not any more, or a new one. poll first: accept makes a socket before it finds out
// that nobody is there.
static int channel_server_next(struct channel_server *server)
{
    struct pollfd all[1 + CHANNEL_SERVER_SILENT] = {{.fd = server->listener, .events = POLLIN}};
    for (size_t i = 0; i < server->silent_count; i++)
        all[1 + i] = (struct pollfd){.fd = server->silent[i], .events = POLLIN};
    if (poll(all, 1 + server->silent_count, 0) <= 0)
        return -EAGAIN;
    channel_server_give_out(server);
    for (size_t i = 0; i < server->silent_count; i++) {
        if (all[1 + i].revents) {
            channel_server_drop_silent(server, i);
            return all[1 + i].fd;
        }
    }
    const int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static int channel_server_meet(struct channel_server *server, struct channel_connection *connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(connection->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -EPERM;
    const int status = channel_server_descends(peer.pid);
    connection->pid = peer.pid;
    connection->is_gone = status == -ESRCH;
    return status == -EPERM ? status : channel_server_handshake(server, connection); // a stranger's is not read
}

int channel_server_accept(struct channel_server *server, struct channel_connection *connection)
{
    connection->fd = channel_server_next(server);
    const int status = connection->fd < 0 ? connection->fd : channel_server_meet(server, connection);
    if (status == 0)
        return 0;
    if (connection->fd >= 0 && status != -EINPROGRESS)
        close(connection->fd);
    channel_server_hold_back(server);
    return status;
}

int channel_server_admit(struct channel_server *server, struct channel_connection *connection)
{
    const struct channel_settings *settings = &server->settings;
    const bool has_it = connection->handshake.forked || connection->is_gone;
    const size_t bytes = has_it ? 1 : channel_settings_bytes(settings->slot_count);
    const bool is_sent =
        channel_pass_send(connection->fd, settings, bytes, has_it ? -1 : server->segment, MSG_DONTWAIT) >= 0;
    const int status = is_sent || has_it ? 0 : -errno;
    close(connection->fd);
    connection->fd = -1;
    channel_server_hold_back(server);
    return status;
}

// --- messages

static bool channel_server_is_planned(const struct channel_server *server, int cpu)
{
    for (uint32_t i = 0; i < server->settings.slot_count; i++)
        if (server->settings.slots[i] == cpu)
            return true;
    return false;
}

// Reads each field once. Times to come and CPUs that are not in the plan are inventions.
static struct channel_received channel_server_copy(const struct channel_server *server, struct channel_message *message)
{
    uint64_t now = clock_now();
    const volatile struct channel_message *original = message;
    struct channel_received copy = {
        .kind = original->kind,
        .tid = original->tid,
        .process = original->process,
        .sent_ns = original->time_ns,
        .began_ns = original->began_ns,
        .cpu = original->cpu,
        .a = original->a,
        .awaited = original->waits ? message : NULL,
    };
    memcpy(copy.text, message->text, sizeof copy.text - 1);
    copy.time_ns = copy.sent_ns < now ? copy.sent_ns : now;
    copy.began_ns = copy.began_ns < copy.time_ns ? copy.began_ns : copy.time_ns;
    copy.cpu = channel_server_is_planned(server, copy.cpu) ? copy.cpu : -1;
    return copy;
}

static bool channel_server_is_wanted(const struct channel_message *message, bool starts_only)
{
    const volatile struct channel_message *original = message;
    return atomic_load(&message->state) == CHANNEL_SENT &&
           (original->waits && original->kind == CHANNEL_THREAD_START) == starts_only;
}

// Takes one message if it is wanted. Clears its mark before it copies the message: a mark set later is a new message's,
// since who waits may give up and make room for another at any time. The mark of an unwanted one stays as it is: the
// other reader may be just looking.
static bool channel_server_take(struct channel_server *server, size_t at, bool starts_only,
                                struct channel_received *received)
{
    struct channel *shared = server->shared;
    struct channel_message *message = &shared->messages[at];
    const uint64_t mark = UINT64_C(1) << (at % 64);
    uint32_t sent = CHANNEL_SENT;
    if (!channel_server_is_wanted(message, starts_only))
        return false;
    atomic_fetch_and(&shared->sent[at / 64], ~mark);
    *received = channel_server_copy(server, message);
    const bool is_awaited_start = received->awaited && received->kind == CHANNEL_THREAD_START;
    if (is_awaited_start != starts_only) { // another's by now
        atomic_fetch_or(&shared->sent[at / 64], mark);
        return false;
    }
    return received->awaited ? atomic_load(&message->state) == CHANNEL_SENT
                             : atomic_compare_exchange_strong(&message->state, &sent, CHANNEL_FREE);
}

static int channel_server_by_time(const void *a, const void *b)
{
    uint64_t left = ((const struct channel_received *)a)->time_ns,
        right = ((const struct channel_received *)b)->time_ns;
    return left < right ? -1 : left > right;
}

size_t channel_server_receive(struct channel_server *server, bool starts_only, struct channel_received *messages,
                              size_t max)
{
    struct channel *shared = server->shared;
    size_t count = 0;
    for (size_t word = 0; word < CHANNEL_MESSAGES / 64; word++) {
        uint64_t sent = atomic_load(&shared->sent[word]);
        for (; sent && count < max; sent &= sent - 1) {
            size_t at = word * 64 + (size_t)__builtin_ctzll(sent);
            count += channel_server_take(server, at, starts_only, &messages[count]);
        }
    }
    return count;
}

void channel_server_sort(struct channel_received *messages, size_t count)
{
    qsort(messages, count, sizeof *messages, channel_server_by_time);
}

bool channel_server_is_awaited(const struct channel_received *message)
{
    const struct channel_message *original = message->awaited;
    return original && atomic_load(&original->state) == CHANNEL_SENT && original->tid == message->tid &&
           original->process == message->process && original->time_ns == message->sent_ns;
}

void channel_server_answer(const struct channel_received *message)
{
    // If the sender has given up, the message is free, or another's by now: then there is nothing to answer.
    if (!channel_server_is_awaited(message))
        return;
    uint32_t sent = CHANNEL_SENT;
    if (atomic_compare_exchange_strong(&message->awaited->state, &sent, CHANNEL_ANSWERED))
        channel_server_futex(&message->awaited->state, FUTEX_WAKE, 1, NULL);
}

uint64_t channel_server_unmade(const struct channel_server *server)
{
    return atomic_load(&server->shared->unmade);
}

uint64_t channel_server_missed(const struct channel_server *server)
{
    return atomic_load(&server->shared->missed);
}

void channel_server_await(struct channel_server *server, uint32_t *seen)
{
    const struct timespec slice = {.tv_nsec = 100000000};
    uint32_t now = atomic_load(&server->shared->doorbell);
    if (now == *seen)
        channel_server_futex(&server->shared->doorbell, FUTEX_WAIT, now, &slice);
    *seen = atomic_load(&server->shared->doorbell);
}

void channel_server_ring(struct channel_server *server)
{
    atomic_fetch_add(&server->shared->doorbell, 1);
    channel_server_futex(&server->shared->doorbell, FUTEX_WAKE, 1, NULL);
}

int channel_server_take_slot(struct channel_server *server)
{
    struct channel *shared = server->shared;
    int best = channel_least_used_slot(&server->settings, shared->slot_users, NULL);
    if (best < 0)
        return -1;
    atomic_fetch_add(&shared->slot_users[best], 1);
    return server->settings.slots[best];
}

void channel_server_free_slot(struct channel_server *server, int cpu)
{
    for (uint32_t i = 0; i < server->settings.slot_count; i++) {
        uint32_t users = atomic_load(&server->shared->slot_users[i]);
        if (server->settings.slots[i] == cpu && users > 0) {
            atomic_compare_exchange_strong(&server->shared->slot_users[i], &users, users - 1);
            return;
        }
    }
}
