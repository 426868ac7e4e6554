// SPDX-License-Identifier: Apache-2.0
// Sends messages to the recorder, and waits for its answer where that is asked for, never longer than it lives.
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collectors/preload/preload.h"
#include "core/clock.h"

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

// The recorder's main thread holds this mutex while it lives; the kernel releases it at its death, however it died.
static bool message_recorder_died(struct channel *channel)
{
    int status = pthread_mutex_trylock(&channel->recorder);
    if (status == EBUSY)
        return false;
    if (status == EOWNERDEAD)
        pthread_mutex_consistent(&channel->recorder);
    if (status == 0 || status == EOWNERDEAD)
        pthread_mutex_unlock(&channel->recorder);
    atomic_store(&channel->recorder_gone, 1);
    return true;
}

// A crowd of threads may begin at once: whoever finds no room waits for the recorder to make some.
static int message_claim_patiently(struct channel *channel, uint32_t tid)
{
    struct timespec slice = {.tv_nsec = CLOCK_MS};
    uint64_t until = clock_now() + CHANNEL_PATIENCE_MS * CLOCK_MS;
    int at = message_claim(channel, tid);
    while (at < 0 && !message_recorder_died(channel) && clock_now() < until) {
        preload_ring_doorbell();
        nanosleep(&slice, NULL);
        if (slice.tv_nsec < CHANNEL_SLICE_MS * (long)CLOCK_MS)
            slice.tv_nsec *= 2;
        at = message_claim(channel, tid);
    }
    if (at < 0)
        atomic_fetch_add(&channel->missed, 1);
    return at;
}

static void message_await(struct channel *channel, struct channel_message *message)
{
    const struct timespec slice = {.tv_nsec = CHANNEL_SLICE_MS * CLOCK_MS};
    uint64_t until = clock_now() + CHANNEL_PATIENCE_MS * CLOCK_MS;
    while (atomic_load(&message->state) == CHANNEL_SENT) {
        // Not FUTEX_PRIVATE: the recorder is another process.
        syscall(SYS_futex, &message->state, FUTEX_WAIT, CHANNEL_SENT, &slice, NULL, 0);
        if (atomic_load(&message->state) == CHANNEL_SENT && (message_recorder_died(channel) || clock_now() > until))
            break;
    }
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
        snprintf(message->text, sizeof message->text, "%s", note.text ? note.text : "");
        atomic_store(&message->state, CHANNEL_SENT);
        atomic_fetch_or(&channel->sent[at / 64], UINT64_C(1) << (at % 64));
        if (note.waits) {
            preload_ring_doorbell();
            message_await(channel, message);
        }
    }
    errno = kept_errno;
}
