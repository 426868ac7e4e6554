// SPDX-License-Identifier: Apache-2.0
// The row of run: what is known at the start, and how the target ended.
#include "profiler/recorder/run/run_rows.h"

#include "hand_made.h"

static void record(const int *wait_status)
{
    static const struct target target = {.path = "/bin/tool"};
    static struct machine machine = {.pin_order = {4, 0, 2}, .slot_count = 3};
    char *arguments[] = {(char[]){"tool"}, (char[]){"two words"}, NULL};
    const struct run_options options = {.arguments = arguments, .pin = RUN_PIN_SCATTER, .interval_ms = 20};
    const struct run_rows run = {.options = &options, .target = &target, .machine = &machine, .uarch = "zen4",
                                 .pid = 77, .repeat = 2, .epoch = 1000};
    struct recording_queue *queue = hand_recording();
    run_rows_begin(&run, queue);
    run_rows_end(&run, queue, wait_status, 6000, RECORDING_NULL);
    CHECK_EQ(recording_queue_stop(queue), 0);
}

static bool row_has(const char *condition)
{
    char query[256];
    snprintf(query, sizeof query, "SELECT count(*) FROM run WHERE %s", condition);
    return hand_number(query) == 1;
}

TEST(the_row_of_a_run_says_what_ran_where)
{
    record(&(int){0});
    CHECK(row_has("command = '[\"tool\", \"two words\"]'"));
    CHECK(row_has("program = '/bin/tool' AND pid = 77 AND repeat = 2 AND uarch = 'zen4'"));
    CHECK(row_has("pin_policy = 'scatter' AND pin_plan = '4,0,2' AND interval_ns = 20000000"));
}

TEST(a_target_that_exits_has_a_status_and_no_signal)
{
    record(&(int){3 << 8}); // as wait(2) gives it
    CHECK(row_has("wall_ns = 5000 AND exit_status = 3 AND term_signal IS NULL"));
    CHECK(row_has("balancing_moved_pages IS NULL"));
}

TEST(a_target_that_a_signal_ends_has_no_status)
{
    record(&(int){9});
    CHECK(row_has("exit_status IS NULL AND term_signal = 9"));
}

TEST(a_target_whose_end_nobody_saw_has_neither)
{
    record(NULL);
    CHECK(row_has("exit_status IS NULL AND term_signal IS NULL AND wall_ns = 5000"));
}
