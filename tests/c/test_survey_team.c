// SPDX-License-Identifier: Apache-2.0
// Timed slices: what they count, and that loops which do not do their work are found out.
#include <errno.h>
#include <sched.h>
#include <stdbool.h>

#include "check.h"
#include "profiler/measure/survey/survey_team.h"

enum { BYTES = 8 << 20 };

static atomic_bool never;

static int a_cpu(void)
{
    return sched_getcpu();
}

static char *indexed(void)
{
    uint64_t *words = aligned_alloc(4096, BYTES);
    CHECK(words);
    for (size_t i = 0; i < BYTES / 8; i++)
        words[i] = i;
    return (char *)words;
}

static struct survey_team_job job(enum kernels_op op, char *from, char *to)
{
    return (struct survey_team_job){.cpu = a_cpu(),
                                    .work = SURVEY_TEAM_LOOP,
                                    .op = op,
                                    .loop = kernels_best()->run[op],
                                    .from = from,
                                    .to = to,
                                    .bytes = BYTES,
                                    .value = 7};
}

TEST(every_loop_is_right_and_counts_its_bytes)
{
    char *from = indexed(), *to = aligned_alloc(4096, BYTES);
    CHECK(to);
    memset(to, 0, BYTES);
    for (int op = 0; op < KERNELS_OPS; op++) {
        struct survey_team_job j = job((enum kernels_op)op, from, to);
        CHECK_EQ(survey_team_run(&j, 1, 2e6, &never), 0);
        CHECK(!j.is_wrong && j.error == 0);
        CHECK(j.bytes_done > 0 || j.lost_ns > 0);
        CHECK(j.bytes_done == 0 || j.kept_ns > 0);
    }
    free(from);
    free(to);
}

static uint64_t idle(const struct kernels_block *block)
{
    (void)block;
    return 0;
}

// What a compiler would leave of a loop whose result nobody uses.
TEST(a_loop_that_was_optimised_away_is_found_out)
{
    char *from = indexed(), *to = aligned_alloc(4096, BYTES);
    CHECK(to);
    memset(to, 0, BYTES);
    for (int op = 0; op < KERNELS_OPS; op++) {
        struct survey_team_job j = job((enum kernels_op)op, from, to);
        j.loop = idle;
        j.bytes = 4 << 20; // so that the last chunk is known
        CHECK_EQ(survey_team_run(&j, 1, 1e5, &never), 0);
        CHECK(j.is_wrong);
    }
    free(from);
    free(to);
}

static uint64_t half(const struct kernels_block *block)
{
    struct kernels_block less = *block;
    less.bytes /= 2;
    return kernels_best()->run[KERNELS_READ](&less);
}

TEST(a_loop_that_does_half_is_found_out)
{
    char *from = indexed();
    struct survey_team_job j = job(KERNELS_READ, from, NULL);
    j.loop = half;
    CHECK_EQ(survey_team_run(&j, 1, 1e5, &never), 0);
    CHECK(j.is_wrong);
    free(from);
}

TEST(a_walk_goes_on_where_it_was)
{
    size_t lines = 4 * KERNELS_WALK_UNIT / sizeof(struct kernels_walk_line);
    struct kernels_walk_line *region = aligned_alloc(4096, lines * sizeof *region);
    CHECK(region);
    kernels_walk_write(region, lines, KERNELS_WALK_RANDOM, 0, lines);
    struct survey_team_job j = {.cpu = a_cpu(), .work = SURVEY_TEAM_WALK, .line = region, .lines = lines};
    CHECK_EQ(survey_team_run(&j, 1, 1e6, &never), 0);
    CHECK(!j.is_wrong);
    CHECK(kernels_walk_is_right(region->rank, j.all_lines, j.line->rank, lines));
    region[kernels_walk_position(KERNELS_WALK_RANDOM, lines, 5)].next = region; // a walk in a circle
    CHECK_EQ(survey_team_run(&j, 1, 1e6, &never), 0);
    CHECK(j.is_wrong);
    free(region);
}

TEST(a_cpu_that_is_not_there_is_named)
{
    char *from = indexed();
    struct survey_team_job j = job(KERNELS_READ, from, NULL);
    j.cpu = 8000;
    CHECK_EQ(survey_team_run(&j, 1, 1e5, &never), 0);
    CHECK_EQ(j.error, -EINVAL);
    CHECK(j.bytes_done == 0);
    free(from);
}

TEST(a_slice_can_be_stopped)
{
    char *from = indexed();
    atomic_bool stop = true;
    struct survey_team_job j = job(KERNELS_READ, from, NULL);
    CHECK_EQ(survey_team_run(&j, 1, 1e12, &stop), -EINTR);
    free(from);
}

TEST(one_pass_touches_everything_once)
{
    char *to = aligned_alloc(4096, BYTES);
    CHECK(to);
    memset(to, 0, BYTES);
    struct survey_team_job j = job(KERNELS_STRIDE_WRITE, NULL, to);
    j.work = SURVEY_TEAM_ONCE;
    CHECK_EQ(survey_team_run(&j, 1, 1, &never), 0);
    CHECK_EQ(j.at, 0);
    for (size_t i = 0; i < BYTES; i += 64)
        CHECK_EQ(*(uint32_t *)(void *)(to + i), 7);
    free(to);
}
