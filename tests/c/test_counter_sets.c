// SPDX-License-Identifier: Apache-2.0
// What a recorder that got no CPU in time writes of a thread: how long it ran without counters. What becomes of samples
// in the ring of a set.
#include "profiler/recorder/evidence/counter_sets.h"

#include <errno.h>

#include "hand_modules.h"
#include "profiler/recorder/evidence/counter_sets_evidence.h"

enum { THREAD = 1 << 29, BEFORE_NS = 300, AT_OPENING_NS = 1300 }; // THREAD: beyond any pid there is (PID_MAX_LIMIT)

// Has a thread that had run BEFORE_NS when the recording began get its counters, after on_ns in windows.
static void give(int64_t time_before, bool is_on, uint64_t on_ns)
{
    static struct counter_set set;
    hand_modules();
    sets.is_on = is_on; // since time 0: long ago
    sets.on_ns = on_ns;
    struct process *process = tasks_add_process(&tasks, THREAD, NULL, 1, "preload");
    struct thread *thread = process ? tasks_add_thread(&tasks, process, THREAD, 1, false, NULL) : NULL;
    CHECK(thread != NULL);
    thread->cpu_ns_before = BEFORE_NS;
    set = (struct counter_set){0};
    counter_sets_give(&sets, thread, &set, time_before);
    CHECK(thread->counters == &set);
    thread->counters = NULL;
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

TEST(a_thread_whose_counters_come_late_ran_uncounted_until_then)
{
    give(AT_OPENING_NS, true, 0);
    CHECK_EQ(hand_number("SELECT uncounted_ns FROM thread"), AT_OPENING_NS - BEFORE_NS);
}

TEST(time_outside_of_windows_is_not_missing)
{
    give(AT_OPENING_NS, false, 400);
    CHECK_EQ(hand_number("SELECT uncounted_ns FROM thread"), 400);
}

TEST(a_thread_that_ran_before_the_recording_only_misses_nothing)
{
    give(BEFORE_NS - 1, true, 0);
    CHECK_EQ(hand_number("SELECT uncounted_ns FROM thread"), 0);
}

TEST(what_is_not_known_is_not_0)
{
    give(-1, true, 0);
    CHECK_EQ(hand_number("SELECT uncounted_ns IS NULL FROM thread"), 1);
}

static void note_clusters(bool usable, int groups, bool unknown)
{
    static const struct event_entry demand = {.class = "demand_rd", .placement = "local_dram"};
    const char *doubt = unknown ? "What is local is unknown." : NULL;
    sets.usable = usable;
    sets.counters.plan = (struct event_plan){.group_count = groups, .clusters_doubt = doubt};
    sets.counters.group_count = groups;
    for (int i = 0; i < groups; i++)
        sets.counters.groups[i] = (struct counters_group){.count = 1, .events[0].source = &demand};
    sets.counters.loads_group = -1;
    counter_sets_evidence_note(&sets);
}

static int64_t cluster_notes(void)
{
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
    return hand_number("SELECT count(*) FROM note WHERE kind = 'clusters' AND text LIKE '%: What is local is %'");
}

TEST(a_recording_says_where_nobody_knows_what_local_means)
{
    hand_modules();
    note_clusters(true, 3, true);
    CHECK_EQ(cluster_notes(), 1);
}

TEST(a_recording_says_nothing_of_local_where_it_is_known_or_not_counted)
{
    hand_modules();
    note_clusters(true, 3, false);
    note_clusters(true, 0, true); // sampled loads only
    note_clusters(false, 3, true);
    CHECK_EQ(cluster_notes(), 0);
}

// Offcore events may tell clusters where retired loads, all that a guest has, do not.
TEST(a_recording_says_what_local_means_for_the_events_that_give_the_share)
{
    static const struct event_entry retired = {.class = "retired_load", .placement = "local_dram"};
    hand_modules();
    note_clusters(true, 1, false);
    sets.counters.plan.clusters_doubt_of_retired = "What is local is all of it.";
    counter_sets_evidence_note(&sets); // demand reads give it
    sets.counters.groups[0].events[0].source = &retired;
    counter_sets_evidence_note(&sets);
    CHECK_EQ(cluster_notes(), 1);
}

enum { CODE = 0x400000, EVENT = 5 };

// A set whose ring holds one sample of the thread tid, with its overflows sampled.
static struct counter_set *sampled(uint32_t tid)
{
    static const struct event_entry remote_dram = {.class = "demand_rd", .placement = "remote_dram"};
    static struct counter_set set;
    hand_modules();
    sets.counters = (struct counters){.queue = tasks.queue, .tasks = &tasks, .samples = &samples, .group_count = 1,
                                      .groups[0] = {.count = 1, .events[0] = {.id = EVENT, .source = &remote_dram,
                                                    .sampled = true, .answered_by = RECORDING_SOURCE_REMOTE_DRAM}}};
    struct process *process = tasks_add_process(&tasks, THREAD, NULL, 1, "preload");
    struct thread *thread = process ? tasks_add_thread(&tasks, process, THREAD, 1, false, NULL) : NULL;
    CHECK(thread != NULL);
    set = (struct counter_set){.counters = &sets.counters, .tid = THREAD, .cpu = -1, .stream.layout = HAND_LAYOUT};
    set.groups[0].ids[0] = 7; // of hand_sample
    hand_ring(&set.stream.ring, 1);
    const struct hand_sample record = hand_sample(tid, 1001, CODE, 0);
    hand_put(&set.stream.ring, &record);
    counter_sets_give(&sets, thread, &set, 0);
    return &set;
}

static void drain(void)
{
    CHECK_EQ(perf_streams_drain(&streams, UINT64_MAX), 1);
    tasks_thread(&tasks, THREAD)->counters = NULL;
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

TEST(a_sample_in_a_ring_becomes_a_row)
{
    sampled(THREAD);
    drain();
    CHECK_EQ(hand_number("SELECT count(*) FROM sample"), 1);
    CHECK_EQ(hand_number("SELECT kind FROM sample"), RECORDING_KIND_OVERFLOW);
    CHECK_EQ(hand_number("SELECT event FROM sample"), EVENT);
    CHECK_EQ(hand_number("SELECT t_ns FROM sample"), 1000);
    CHECK_EQ(hand_number("SELECT sample.thread = thread.id FROM sample, thread"), 1);
    CHECK_EQ(hand_number("SELECT cpu FROM sample"), 3);
    CHECK_EQ(hand_number("SELECT weight FROM sample"), 11);
    CHECK_EQ(hand_number("SELECT source FROM sample"), RECORDING_SOURCE_REMOTE_DRAM);
    CHECK_EQ(hand_number("SELECT address IS NULL AND stack IS NOT NULL FROM sample"), 1);
    CHECK_EQ(losses.malformed + losses.unknown_threads, 0);
}

TEST(a_sample_of_a_thread_that_nobody_knows_is_counted_as_lost)
{
    sampled(THREAD + 1);
    drain();
    CHECK_EQ(hand_number("SELECT count(*) FROM sample"), 0);
    CHECK_EQ(losses.unknown_threads, 1);
}

TEST(a_ring_that_nobody_can_drain_is_unmapped_and_counted)
{
    check_no_memory = true;
    struct counter_set *set = sampled(THREAD);
    CHECK_EQ(streams.count, 0);
    CHECK(!set->stream.ring.control);
    CHECK_EQ(losses.rings, 1);
    CHECK_EQ(recording_queue_stop(tasks.queue), -ENOMEM); // nor is there memory to write it
}

TEST(a_sample_that_is_shorter_than_it_says_is_counted_as_malformed)
{
    struct counter_set *set = sampled(THREAD);
    ((struct hand_sample *)set->stream.ring.data)->chain_count = 3;
    drain();
    CHECK_EQ(hand_number("SELECT count(*) FROM sample"), 0);
    CHECK_EQ(losses.malformed, 1);
}
