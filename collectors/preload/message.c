// SPDX-License-Identifier: Apache-2.0
// Sends messages to the recorder, and waits for its answer if the caller asks, while the recorder lives.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collectors/preload/preload.h"
#include "core/system/clock.h"

static int message_claim(struct channel *channel, uint32_t tid)
{
    for (uint32_t i = 0; i < CHANNEL_MESSAGES; i++) {
        uint32_t at = (2 * tid + i) % CHANNEL_MESSAGES; // a short-lived thread sends two messages
        uint32_t expected = CHANNEL_FREE;
        if (atomic_compare_exchange_strong(&channel->messages[at].state, &expected, CHANNEL_CLAIMED))
            return (int)at;
    }
    return -ENOSPC;
}

// The recorder's main thread holds the mutex while it lives; the kernel marks its futex word at the recorder's death
// (Documentation/locking/robust-futex-ABI.rst). The word is only read: locking would enter the mutex into this thread's
// list of robust mutexes, by pointers that stand in shared memory.
static uint32_t message_recorder(struct channel *channel)
{
    static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0, "glibc: the futex word stands first");
    return atomic_load((const _Atomic uint32_t *)(const void *)&channel->recorder);
}

bool preload_recorder_died(struct channel *channel)
{
    if (atomic_load(&channel->recorder_gone)) // it may have finished its recording, and live on
        return true;
    const uint32_t owner = message_recorder(channel);
    if ((owner & FUTEX_TID_MASK) != 0 && !(owner & FUTEX_OWNER_DIED))
        return false;
    atomic_store(&channel->recorder_gone, 1);
    return true;
}

// Once it has let somebody wait in vain (it is stopped, or another process has filled the segment), nobody waits for
// more than a slice until it answers again. A forked child knows what its parent knew.
static _Atomic bool message_in_vain;

uint64_t preload_patience_ms(uint64_t ms)
{
    return message_in_vain ? CHANNEL_SLICE_MS : ms;
}

void preload_answered(bool is_answered)
{
    message_in_vain = !is_answered;
}

// A crowd of threads may begin at once: a thread that finds no free message waits for one.
static int message_claim_patiently(struct channel *channel, uint32_t tid)
{
    struct timespec slice = {.tv_nsec = CLOCK_MS};
    const uint64_t until = clock_now() + preload_patience_ms(CHANNEL_PATIENCE_MS) * CLOCK_MS;
    int at = message_claim(channel, tid);
    if (at >= 0)
        return at;
    while (at < 0 && !preload_recorder_died(channel) && clock_now() < until) {
        preload_ring_doorbell();
        nanosleep(&slice, NULL);
        if (slice.tv_nsec < CHANNEL_SLICE_MS * (long)CLOCK_MS)
            slice.tv_nsec *= 2;
        at = message_claim(channel, tid);
    }
    message_in_vain = at < 0;
    if (at < 0)
        atomic_fetch_add(&channel->missed, 1);
    return at;
}

// Whether a process runs, or would if it got a CPU; false: it is stopped, or /proc here does not show it.
static bool message_process_runs(pid_t pid)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')'); // proc(5): the state comes next
    return name_end && name_end[1] == ' ' && name_end[2] && !strchr("TtZX", name_end[2]);
}

bool preload_waits_on(struct preload_wait *wait, pid_t recorder)
{
    const uint64_t now = clock_now(), waited = now - wait->since;
    if (message_in_vain)
        return waited < CHANNEL_SLICE_MS * CLOCK_MS;
    const bool may_starve = waited < CHANNEL_STARVED_MS * CLOCK_MS;
    if (waited < CHANNEL_PATIENCE_MS * CLOCK_MS || (may_starve && now - wait->asked < CHANNEL_ASK_MS * CLOCK_MS))
        return true;
    wait->asked = now;
    const bool waits = may_starve && message_process_runs(recorder);
    if (!waits)
        message_in_vain = true;
    return waits;
}

static bool message_waits_on(struct channel *channel, struct preload_wait *wait)
{
    if (preload_recorder_died(channel))
        return false;
    return preload_waits_on(wait, preload_is_elsewhere() ? 0 : (pid_t)(message_recorder(channel) & FUTEX_TID_MASK));
}

static void message_await(struct channel *channel, struct channel_message *message)
{
    const struct timespec slice = {.tv_nsec = CHANNEL_SLICE_MS * CLOCK_MS};
    struct preload_wait wait = {.since = clock_now()};
    while (atomic_load(&message->state) == CHANNEL_SENT) {
        // Not FUTEX_PRIVATE: the recorder is another process.
        syscall(SYS_futex, &message->state, FUTEX_WAIT, CHANNEL_SENT, &slice, NULL, 0);
        if (atomic_load(&message->state) == CHANNEL_SENT && !message_waits_on(channel, &wait))
            break;
    }
    uint32_t sent = CHANNEL_SENT;
    message_in_vain = atomic_compare_exchange_strong(&message->state, &sent, CHANNEL_FREE);
    if (!message_in_vain)
        atomic_store(&message->state, CHANNEL_FREE); // it was answered
    else if (!preload_recorder_died(channel))
        atomic_fetch_add(&channel->missed, 1);
}

void preload_ring_doorbell(void)
{
    struct channel *channel = preload_channel();
    if (!channel)
        return;
    const struct preload_guard guard = preload_enter();
    atomic_fetch_add(&channel->doorbell, 1);
    syscall(SYS_futex, &channel->doorbell, FUTEX_WAKE, 1, NULL, NULL, 0);
    preload_leave(guard);
}

void preload_send(struct preload_note note)
{
    struct channel *channel = preload_channel();
    if (!channel)
        return;
    const struct preload_guard guard = preload_enter();
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    int at = message_claim_patiently(channel, tid);
    if (at >= 0) {
        struct channel_message *message = &channel->messages[at];
        message->kind = note.kind;
        message->process = preload_process();
        message->time_ns = clock_now();
        message->began_ns = note.began_ns;
        message->tid = tid;
        message->cpu = note.cpu;
        message->a = note.a;
        message->waits = note.waits;
        size_t length = note.text ? strnlen(note.text, sizeof message->text - 1) : 0;
        memcpy(message->text, note.text ? note.text : "", length);
        message->text[length] = '\0';
        atomic_store(&message->state, CHANNEL_SENT);
        atomic_fetch_or(&channel->sent[at / 64], UINT64_C(1) << (at % 64));
        if (note.waits) {
            preload_ring_doorbell();
            message_await(channel, message);
        }
    }
    preload_leave(guard);
}
