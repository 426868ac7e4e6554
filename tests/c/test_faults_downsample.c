// SPDX-License-Identifier: Apache-2.0
#include "collectors/faults/faults_downsample.h"
#include "core/system/clock.h"
#include "tests/c/check.h"

static struct faults_downsample begun(int rings)
{
    struct faults_downsample downsample = faults_downsample_begin(rings, false);
    faults_downsample_adapt(&downsample, (struct faults_counted){0}, CLOCK_MS);
    return downsample;
}

static void take(struct faults_downsample *downsample, int64_t faults)
{
    for (int64_t i = 0; i < faults; i++)
        CHECK_EQ(faults_downsample_weight(downsample, 1), 1);
}

TEST(one_burst_is_recorded_whole_and_no_more)
{
    struct faults_downsample downsample = begun(16);
    take(&downsample, 1000); // 16,000 of all rings
    CHECK(!downsample.is_on);
    take(&downsample, 1);
    CHECK(downsample.is_on);
}

TEST(a_ring_among_many_still_records_a_small_burst_whole)
{
    CHECK_EQ(faults_downsample_begin(256, false).burst, 250);
    CHECK_EQ(faults_downsample_begin(1, false).burst, 2000);
}

TEST(every_fault_is_recorded_again_after_a_window_with_few_faults)
{
    struct faults_downsample downsample = begun(16);
    take(&downsample, 1001);
    CHECK(!faults_downsample_is_due(&downsample, 10 * CLOCK_MS)); // 9 ms after the begin
    CHECK(faults_downsample_is_due(&downsample, 11 * CLOCK_MS));
    faults_downsample_adapt(&downsample, (struct faults_counted){1001, 1001}, 11 * CLOCK_MS);
    CHECK(downsample.is_on); // many came in this one
    take(&downsample, 100);
    faults_downsample_adapt(&downsample, (struct faults_counted){1101, 1101}, 21 * CLOCK_MS);
    CHECK(!downsample.is_on);
}

TEST(what_was_recorded_whole_is_taken_from_the_burst_until_time_brings_it_back)
{
    struct faults_downsample downsample = begun(16);
    take(&downsample, 600);
    faults_downsample_adapt(&downsample, (struct faults_counted){0}, 11 * CLOCK_MS);
    CHECK_EQ(downsample.credit, 400);
    faults_downsample_adapt(&downsample, (struct faults_counted){0}, 31 * CLOCK_MS);
    CHECK_EQ(downsample.credit, 600); // ten a millisecond
    faults_downsample_adapt(&downsample, (struct faults_counted){0}, 1000 * CLOCK_MS);
    CHECK_EQ(downsample.credit, 1000);
}

TEST(weights_of_the_samples_add_up_to_the_counted_faults)
{
    enum { SAMPLES = 400, COUNTED = 5000 };
    struct faults_downsample downsample = begun(16);
    uint64_t sum = 0;
    downsample.is_on = true;
    faults_downsample_adapt(&downsample, (struct faults_counted){COUNTED, COUNTED}, 11 * CLOCK_MS);
    for (int i = 0; i < SAMPLES; i++)
        sum += faults_downsample_weight(&downsample, 3);
    CHECK_EQ(sum, COUNTED + 3 * SAMPLES); // the faults of the window before, and these
}

TEST(faults_that_samples_stand_for_twice_are_taken_from_the_next_samples)
{
    struct faults_downsample downsample = begun(16);
    downsample.is_on = true;
    CHECK_EQ(faults_downsample_weight(&downsample, 1000), 1000);
    faults_downsample_adapt(&downsample, (struct faults_counted){.before = 100, .now = 680}, 11 * CLOCK_MS);
    CHECK_EQ(downsample.owed, -320);
    CHECK_EQ(faults_downsample_weight(&downsample, 50), 41); // a 32nd of 320 less, rounded
    CHECK_EQ(faults_downsample_weight(&downsample, 3), 1);
    CHECK_EQ(faults_downsample_weight(&downsample, 1), 1); // a sample is one fault at least
    CHECK_EQ(downsample.owed, -309);
}

TEST(samples_of_faults_of_the_last_window_are_not_too_many)
{
    struct faults_downsample downsample = begun(16);
    downsample.is_on = true;
    faults_downsample_weight(&downsample, 500);
    faults_downsample_adapt(&downsample, (struct faults_counted){.before = 100, .now = 600}, 11 * CLOCK_MS);
    CHECK_EQ(downsample.owed, 0);
}

TEST(events_of_the_whole_machine_are_always_a_sample)
{
    struct faults_downsample downsample = faults_downsample_begin(1, true);
    faults_downsample_adapt(&downsample, (struct faults_counted){0}, 1000 * CLOCK_MS);
    CHECK(downsample.is_on);
    CHECK_EQ(downsample.owed, 0);
}
