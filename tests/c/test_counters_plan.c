// SPDX-License-Identifier: Apache-2.0
// The rows of events: of those that are counted, with what they count.
#include "collectors/counters/counters.h"

#include <errno.h>

#include "collectors/perf/perf_context.h"
#include "hand_made.h"

static struct counters counters;

static struct counters_event event(int64_t id, const struct event_entry *source, bool sampled)
{
    return (struct counters_event){.id = id, .source = source, .sampled = sampled,
                                   .attr = {.type = PERF_TYPE_RAW, .config = 0x1b7, .sample_period = 5000}};
}

// One group that is counted, one that the kernel refused.
static void write_events(void)
{
    static const struct event_entry local = {.class = "demand_rd", .placement = "local_dram", .sources = "derived"},
                                    remote = {.class = "demand_rd", .placement = "remote_dram", .sources = "pfm,json",
                                              .name = "REMOTE"},
                                    refused = {.class = "pf_any", .placement = "any_dram", .sources = "derived"};
    static struct event_catalogue empty;
    static const struct event_cpu cpu = {.name = "cpu"};
    counters = (struct counters){
        .queue = hand_recording(), .catalogue = &empty, .cpu = &cpu, .clock_id = 1, .migrations_id = 2,
        .group_count = 2, .exclude_kernel = true,
        .groups = {{.count = 2, .events = {event(3, &local, false), event(4, &remote, true)}},
                   {.count = 1, .events = {event(5, &refused, false)}, .error = -EINVAL}}};
    counters_write_events(&counters);
    CHECK_EQ(recording_queue_stop(counters.queue), 0);
}

TEST(events_that_are_counted_have_rows_and_refused_ones_have_none)
{
    write_events();
    CHECK_EQ(hand_number("SELECT count(*) FROM event"), 4);
    CHECK_EQ(hand_number("SELECT count(*) FROM event WHERE id = 5"), 0);
    CHECK_EQ(hand_number("SELECT id FROM event WHERE class = 'time'"), 1);
}

TEST(the_row_of_an_event_says_what_it_counts_and_how)
{
    write_events();
    CHECK_EQ(hand_number("SELECT count(*) FROM event WHERE id = 4 AND name = 'REMOTE' AND config = 0x1b7"), 1);
    CHECK_EQ(hand_number("SELECT id FROM event WHERE class = 'demand_rd' AND placement = 'remote_dram'"), 4);
    CHECK_EQ(hand_number("SELECT exclude_kernel = 1 AND confidence = 'two' FROM event WHERE id = 4"), 1);
    CHECK_EQ(hand_number("SELECT period FROM event WHERE id = 4"), 5000);
    CHECK_EQ(hand_number("SELECT count(*) FROM event WHERE id = 3 AND period IS NULL AND name = 'demand_rd'"), 1);
}

TEST(without_a_pmu_the_cause_is_kept_and_nothing_is_counted)
{
    char pmu[PERF_CONTEXT_PMU_BYTES];
    struct topology topology = {0};
    perf_context_pmu(pmu, "");
    CHECK_SKIP_UNLESS(!*pmu, "this machine has a PMU");
    counters = (struct counters){0};
    CHECK_EQ(counters_prepare(&counters, &topology, "demand_rd", 1), -ENOENT);
    CHECK_EQ(counters.error, -ENOENT);
    CHECK_EQ(counters.loads_error, -ENOENT);
    CHECK_EQ(counters.usable, 0);
    counters_free(&counters);
}
