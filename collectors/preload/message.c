// SPDX-License-Identifier: Apache-2.0
// Sends messages to the recorder, and waits for its answer where that is asked for, never longer than it lives.
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collectors/preload/preload.h"
#include "core/system/clock.h"

static int message_claim(struct channel *channel, uint32_t tid)
{
    for (uint32_t i = 0; i < CHANNEL_MESSAGES; i++) {
        uint32_t at = (2 * tid + i) % CHANNEL_MESSAGES; // a short thread sends two
        uint32_t expected = CHANNEL_FREE;
        if (atomic_compare_exchange_strong(&channel->messages[at].state, &expected, CHANNEL_CLAIMED))
            return (int)at;
    }
    return -ENOSPC;
}

// The recorder's main thread holds the mutex while it lives; the kernel marks its futex word at the recorder's death
// (Documentation/locking/robust-futex-ABI.rst). The word is only read: locking would enter the mutex into this thread's
// list of robust mutexes, by pointers that stand in shared memory.
static bool message_recorder_died(struct channel *channel)
{
    static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0, "glibc: the futex word stands first");
    const _Atomic uint32_t *word = (const _Atomic uint32_t *)(const void *)&channel->recorder;
    uint32_t owner = atomic_load(word);
    if ((owner & FUTEX_TID_MASK) != 0 && !(owner & FUTEX_OWNER_DIED))
        return false;
    atomic_store(&channel->recorder_gone, 1);
    return true;
}

// How long to wait for a living recorder. Once it has let somebody wait in vain (it is stopped, or another process has
// filled the segment), nobody waits for more than a slice until it answers again.
static _Atomic bool message_in_vain;

static uint64_t message_deadline(void)
{
    return clock_now() + (message_in_vain ? CHANNEL_SLICE_MS : CHANNEL_PATIENCE_MS) * CLOCK_MS;
}

// A crowd of threads may begin at once: whoever finds no room waits for the recorder to make some.
static int message_claim_patiently(struct channel *channel, uint32_t tid)
{
    struct timespec slice = {.tv_nsec = CLOCK_MS};
    uint64_t until = message_deadline();
    int at = message_claim(channel, tid);
    if (at >= 0)
        return at;
    while (at < 0 && !message_recorder_died(channel) && clock_now() < until) {
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

static void message_await(struct channel *channel, struct channel_message *message)
{
    const struct timespec slice = {.tv_nsec = CHANNEL_SLICE_MS * CLOCK_MS};
    uint64_t until = message_deadline();
    while (atomic_load(&message->state) == CHANNEL_SENT) {
        // Not FUTEX_PRIVATE: the recorder is another process.
        syscall(SYS_futex, &message->state, FUTEX_WAIT, CHANNEL_SENT, &slice, NULL, 0);
        if (atomic_load(&message->state) == CHANNEL_SENT && (message_recorder_died(channel) || clock_now() > until))
            break;
    }
    message_in_vain = atomic_load(&message->state) == CHANNEL_SENT;
    atomic_store(&message->state, CHANNEL_FREE);
}

void preload_ring_doorbell(void)
{
    struct channel *channel = preload_channel();
    int kept_errno = errno;
    if (!channel)
        return;
    atomic_fetch_add(&channel->doorbell, 1);
    syscall(SYS_futex, &channel->doorbell, FUTEX_WAKE, 1, NULL, NULL, 0);
    errno = kept_errno;
}

void preload_send(struct preload_note note)
{
    struct channel *channel = preload_channel();
    if (!channel)
        return;
    int kept_errno = errno;
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    int at = message_claim_patiently(channel, tid);
    if (at >= 0) {
        struct channel_message *message = &channel->messages[at];
        message->kind = note.kind;
        message->process = preload_process();
        message->time_ns = clock_now();
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
    errno = kept_errno;
}
