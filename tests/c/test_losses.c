// SPDX-License-Identifier: Apache-2.0
// Counters of losses hold more than a program can lose: each is one short of a width, loses one more, and its note says
// how many. Those of messages stand in test_messages.c and test_message.c, that of allocations in test_alloc_record.c.
#include "profiler/recorder/evidence/losses.h"

#include "hand_modules.h"
#include "profiler/recorder/targets/kernel_records.h"

static struct kernel_records records;
static struct faults_source source;
static struct process *process;

static void kernel_says(const void *record)
{
    kernel_records_handle(&source.stream, record, 2);
}

static void loses_a_record(void)
{
    const struct hand_lost lost = hand_lost(1, 2);
    kernel_says(&lost);
}

static void is_throttled(void)
{
    kernel_says(&(struct perf_event_header){.type = PERF_RECORD_THROTTLE, .size = sizeof(struct perf_event_header)});
}

static void samples_a_stranger(void)
{
    const struct hand_sample sample = hand_sample(1 << 29, 2, 0x400000, 0x500000); // beyond any pid there is
    kernel_says(&sample);
}

static void says_nonsense(void)
{
    kernel_says(&(struct perf_event_header){.type = PERF_RECORD_FORK, .size = sizeof(struct perf_event_header)});
}

static void has_no_ring(void)
{
    allocations_open_ring(&allocations, process, -1);
}

static void has_one_stack_too_many(void)
{
    CHECK_EQ(call_stacks_intern(&walk.stacks, &process->space, 1, (const uint64_t[]){0x400000}, 1, false),
             RECORDING_NULL);
}

static void runs_one_program_too_many(void)
{
    programs_announce(&targets.programs, process, -EPERM, "/bin/other");
}

static const struct loss {
    uint64_t *counter;
    void (*happens)(void);
    const char *note;
} table[] = {
    {&losses.records, loses_a_record, "SELECT value FROM note WHERE text LIKE '%the kernel''s buffers were full'"},
    {&losses.throttled, is_throttled, "SELECT value FROM note WHERE kind = 'throttled'"},
    {&losses.unknown_threads, samples_a_stranger, "SELECT value FROM note WHERE kind = 'unmatched'"},
    {&losses.malformed, says_nonsense, "SELECT value FROM note WHERE text LIKE '%malformed%'"},
    {&losses.rings, has_no_ring, "SELECT value FROM note WHERE text LIKE '%buffers of records could not be read'"},
    {&walk.stacks.refused, has_one_stack_too_many, "SELECT value FROM note WHERE kind = 'stacks'"},
    {&unconnected.not_noted, runs_one_program_too_many, "SELECT value FROM note WHERE kind = 'not_noted'"},
};
enum { LOSSES = sizeof table / sizeof *table };

static void begin(uint64_t lost)
{
    losses = (struct losses){0};
    hand_modules();
    records = (struct kernel_records){.targets = &targets, .tasks = &tasks, .losses = &losses};
    source = (struct faults_source){.stream = {.layout = HAND_LAYOUT, .owner = &records}};
    process = tasks_add_process(&tasks, getpid(), NULL, 1, "inherited");
    CHECK(process);
    walk.stacks.stack_count = CALL_STACKS_MAX_PATHS; // no room for another
    unconnected.notes = 64;                          // PROGRAMS_MOST_NOTES
    for (size_t i = 0; i < LOSSES; i++)
        *table[i].counter = lost;
}

static void finish(void)
{
    losses_finish(&losses, &tasks);
    stack_walk_finish(&walk, &tasks);
    programs_finish(&targets.programs, "", NULL);
    walk.stacks.stack_count = 0;
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

static void counts_one_more_than(uint64_t lost)
{
    begin(lost);
    for (size_t i = 0; i < LOSSES; i++)
        table[i].happens();
    finish();
    for (size_t i = 0; i < LOSSES; i++)
        CHECK_EQ(hand_number(table[i].note), (long long)lost + 1);
}

TEST(losses_are_counted_beyond_8_bits)
{
    counts_one_more_than(UINT8_MAX);
}

TEST(losses_are_counted_beyond_16_bits)
{
    counts_one_more_than(UINT16_MAX);
}

TEST(losses_are_counted_beyond_32_bits)
{
    counts_one_more_than(UINT32_MAX);
}

TEST(losses_are_counted_beyond_48_bits)
{
    counts_one_more_than(1ULL << 48);
}
