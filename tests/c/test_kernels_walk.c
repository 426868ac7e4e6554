// SPDX-License-Identifier: Apache-2.0
// Walks visit every line exactly once, and say how far one has come.
#include "check.h"
#include "profiler/measure/kernels/kernels_walk.h"

enum { PAGE_LINES = 64 };

static struct kernels_walk_line *made(size_t lines, enum kernels_walk_order order)
{
    struct kernels_walk_line *region = aligned_alloc(64, lines * sizeof *region);
    CHECK(region);
    kernels_walk_write(region, lines, order, 0, lines / 3);
    kernels_walk_write(region, lines, order, lines / 3, lines);
    return region;
}

static void visits_each_line_once(size_t lines, enum kernels_walk_order order)
{
    struct kernels_walk_line *region = made(lines, order);
    const struct kernels_walk_line *line = region;
    unsigned char *seen = calloc(lines, 1);
    CHECK(seen);
    for (size_t step = 0; step < lines; step++) {
        CHECK(line >= region && line < region + lines);
        CHECK_EQ(seen[line - region]++, 0);
        line = line->next;
    }
    CHECK(line == region);
    free(seen);
    free(region);
}

TEST(random_walks_visit_each_line_once)
{
    const size_t units[] = {1, 2, 3, 5, 7, 16, 63, 100, 257};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        visits_each_line_once(units[i] * KERNELS_WALK_UNIT / sizeof(struct kernels_walk_line), KERNELS_WALK_RANDOM);
}

TEST(window_walks_visit_each_line_once)
{
    const size_t units[] = {1, 3, 100};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        visits_each_line_once(units[i] * KERNELS_WALK_UNIT / sizeof(struct kernels_walk_line), KERNELS_WALK_WINDOW);
}

TEST(a_window_is_left_only_when_it_is_done)
{
    size_t lines = 4 * KERNELS_WALK_UNIT / sizeof(struct kernels_walk_line), orders_alike = 0;
    for (size_t rank = 0; rank < lines; rank++) {
        CHECK_EQ(kernels_walk_position(KERNELS_WALK_WINDOW, lines, rank) / PAGE_LINES, rank / PAGE_LINES);
        orders_alike += kernels_walk_position(KERNELS_WALK_WINDOW, lines, rank) % PAGE_LINES ==
                        kernels_walk_position(KERNELS_WALK_WINDOW, lines, rank % PAGE_LINES);
    }
    CHECK(orders_alike < lines / 4); // pages have orders of their own: no prefetcher learns one
}

// A random walk has no favourite stride: of 64 Ki steps none takes more than a few.
TEST(random_walks_have_no_stride)
{
    size_t lines = 64 * KERNELS_WALK_UNIT / sizeof(struct kernels_walk_line), near = 0;
    unsigned *strides = calloc(2 * lines, sizeof *strides);
    CHECK(strides);
    for (size_t rank = 0; rank + 1 < lines; rank++) {
        size_t here = kernels_walk_position(KERNELS_WALK_RANDOM, lines, rank),
               next = kernels_walk_position(KERNELS_WALK_RANDOM, lines, rank + 1);
        CHECK(strides[lines + next - here]++ < 12); // mean at most 1: by chance once in 1e9
        near += (here > next ? here - next : next - here) < PAGE_LINES;
    }
    CHECK(near < lines / 200); // by chance 2 * 64 / 65536, one in 512
    free(strides);
}

TEST(ranks_and_positions_are_inverse)
{
    size_t lines = 35 * KERNELS_WALK_UNIT / sizeof(struct kernels_walk_line);
    for (size_t i = 0; i < lines; i++) {
        CHECK_EQ(kernels_walk_rank(KERNELS_WALK_RANDOM, lines, kernels_walk_position(KERNELS_WALK_RANDOM, lines, i)),
                 i);
        CHECK_EQ(kernels_walk_rank(KERNELS_WALK_WINDOW, lines, kernels_walk_position(KERNELS_WALK_WINDOW, lines, i)),
                 i);
    }
}

TEST(a_walk_ends_where_its_steps_lead)
{
    size_t lines = 2 * KERNELS_WALK_UNIT / sizeof(struct kernels_walk_line);
    struct kernels_walk_line *region = made(lines, KERNELS_WALK_RANDOM);
    const struct kernels_walk_line *from = region + 17, *to = kernels_walk_go(from, 16 * 200);
    CHECK(kernels_walk_is_right(from->rank, 16 * 200, to->rank, lines));
    CHECK(kernels_walk_go_pausing(from, 16 * 200) == to);
    CHECK(!kernels_walk_is_right(from->rank, 16 * 199, to->rank, lines));
    free(region);
}
