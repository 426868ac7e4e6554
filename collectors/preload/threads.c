// SPDX-License-Identifier: Apache-2.0
// Stands before pthread_create: a new thread takes its slot and reports before the program's function runs.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "collectors/preload/alloc/alloc.h"
#include "collectors/preload/preload.h"
#include "core/system/clock.h"

struct thread_start {
    void *(*routine)(void *);
    thrd_start_t c11_routine;
    void *argument;
    enum channel_pin pin;
    int slot;               // of the plan, for PLANNED
    uint64_t since;          // when its creation began: its creator touches its memory
};

// Runs when a thread ends, also by pthread_exit and cancellation, before its destructors do: a key of
// pthread_key_create would be one that the program lacks, which may take them all.
static void thread_ended(void *unused)
{
    (void)unused;
    if (!preload_slot_users())
        return;
    alloc_thread_ended();
    preload_slot_leave();
    const struct timespec used = clock_read(CLOCK_THREAD_CPUTIME_ID);
    preload_send((struct preload_note){.kind = CHANNEL_THREAD_EXIT, .a = used.tv_sec * 1000000000 + used.tv_nsec});
}

static bool thread_has_own_mask(const pthread_attr_t *attributes)
{
    struct cpulist mask;
    if (!attributes || pthread_attr_getaffinity_np(attributes, sizeof mask.bits, (cpu_set_t *)&mask) != 0)
        return false;
    if (memcmp(&mask, preload_process_mask(), sizeof mask) == 0)
        return false; // what it is shown is no choice, as in affinity.c
    return cpulist_count(&mask) < CPULIST_MAX; // without an affinity in the attributes, glibc answers with all bits set
}

static enum channel_pin thread_pin(const pthread_attr_t *attributes, const void *routine)
{
    if (!preload_slot_users() || preload_settings()->slot_count == 0)
        return CHANNEL_PIN_NONE;
    if (thread_has_own_mask(attributes) || preload_program_pins() || preload_chose_itself()) {
        preload_choice_made();
        return CHANNEL_PIN_PROGRAM;
    }
    return preload_is_helper(routine) ? CHANNEL_PIN_HELPER : CHANNEL_PIN_PLANNED;
}

// noinline: a mask is 1 KiB, which the stack need not hold any longer than this.
static __attribute__((noinline)) void thread_list_mask(char *out, size_t room)
{
    struct cpulist mask;
    if (thread_mask_get(0, &mask) == 0)
        cpulist_format(out, room, &mask);
}

// In the new thread, which has its creator's mask.
static void thread_begin(enum channel_pin pin, int slot, uint64_t since, const void *frame)
{
    if (preload_is_quiet() && pin != CHANNEL_PIN_PROGRAM && !preload_is_filtered())
        thread_mask_set(0, preload_process_mask()); // since its creation, which may have begun with a pin
    if (!preload_slot_users())
        return;
    int cpu = -1;
    if (pin == CHANNEL_PIN_PLANNED && slot)
        cpu = preload_slot_self(slot);
    else if (pin == CHANNEL_PIN_PROGRAM)
        preload_own_choice(); // also for the threads that it makes
    else if (pin == CHANNEL_PIN_HELPER) {
        preload_help();
        thread_mask_set(0, preload_process_mask());
    }
    if (pin == CHANNEL_PIN_PLANNED && cpu < 0)
        pin = CHANNEL_PIN_NONE;
    alloc_thread_began(since, frame);
    char chosen[CHANNEL_TEXT] = "";
    if (pin == CHANNEL_PIN_PROGRAM)
        thread_list_mask(chosen, sizeof chosen);
    preload_send((struct preload_note){.kind = CHANNEL_THREAD_START,
                                       .cpu = cpu,
                                       .a = pin,
                                       .began_ns = since,
                                       .text = chosen,
                                       .waits = preload_awaits()});
}

static struct thread_start thread_take(void *argument, const void *frame)
{
    struct thread_start start = *(struct thread_start *)argument;
    free(argument);
    thread_begin(start.pin, start.slot, start.since, frame);
    return start;
}

static void *thread_run(void *argument)
{
    struct thread_start start = thread_take(argument, __builtin_frame_address(0));
    void *result;
    pthread_cleanup_push(thread_ended, NULL);
    result = start.routine(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

static int thread_run_c11(void *argument)
{
    struct thread_start start = thread_take(argument, __builtin_frame_address(0));
    int result;
    pthread_cleanup_push(thread_ended, NULL);
    result = start.c11_routine(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

static struct thread_start *thread_prepare(struct thread_start start)
{
    struct thread_start *kept = preload_slot_users() ? malloc(sizeof *kept) : NULL;
    if (kept) {
        preload_slot_main();
        start.slot = start.pin == CHANNEL_PIN_PLANNED ? preload_slot_reserve() : 0;
        start.since = clock_now();
        *kept = start;
    }
    return kept;
}

static void thread_unmade(struct thread_start *kept)
{
    struct channel *channel = preload_channel();
    if (channel)
        atomic_fetch_add(&channel->unmade, 1);
    preload_slot_return(kept->slot);
    free(kept);
}

PRELOAD_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                                  void *argument)
{
    __typeof__(&pthread_create) create = PRELOAD_NEXT(pthread_create);
    struct thread_start start = {.routine = routine, .argument = argument};
    start.pin = thread_pin(attributes, (const void *)routine);
    struct thread_start *kept = thread_prepare(start);
    if (!kept)
        return create(thread, attributes, routine, argument);
    int status = create(thread, attributes, thread_run, kept);
    if (status != 0)
        thread_unmade(kept);
    return status;
}

PRELOAD_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    __typeof__(&thrd_create) create = PRELOAD_NEXT(thrd_create);
    struct thread_start start = {.c11_routine = routine, .argument = argument};
    start.pin = thread_pin(NULL, (const void *)routine);
    struct thread_start *kept = thread_prepare(start);
    if (!kept)
        return create(thread, routine, argument);
    int status = create(thread, thread_run_c11, kept);
    if (status != thrd_success)
        thread_unmade(kept);
    return status;
}
