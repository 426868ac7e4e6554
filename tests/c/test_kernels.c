// SPDX-License-Identifier: Apache-2.0
// Every set of loops that this CPU can run does what it says, to the last word, and touches nothing else.
#include <stdbool.h>

#include "check.h"
#include "profiler/measure/kernels/kernels.h"

enum { WORDS = 16 * 1024, GUARD = KERNELS_STEP / 8 };

static uint64_t *words(void)
{
    uint64_t *made = aligned_alloc(KERNELS_STEP, (WORDS + 2 * GUARD) * sizeof *made);
    CHECK(made);
    for (size_t i = 0; i < WORDS + 2 * GUARD; i++)
        made[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    return made;
}

static uint64_t sum(const uint64_t *from)
{
    uint64_t total = 0;
    for (size_t i = 0; i < WORDS; i++)
        total += from[i];
    return total;
}

static void reads_all(const struct kernels *set, enum kernels_op op)
{
    uint64_t *data = words();
    struct kernels_block block = {.from = data + GUARD, .bytes = WORDS * 8};
    CHECK(set->run[op](&block) == sum(data + GUARD));
    data[GUARD + WORDS - 1] ^= 1; // the last word counts
    CHECK(set->run[op](&block) == sum(data + GUARD));
    free(data);
}

static void writes_all(const struct kernels *set, enum kernels_op op)
{
    uint64_t *data = words(), *same = words(), value = UINT64_C(0x0123456789abcdef);
    struct kernels_block block = {.to = data + GUARD, .bytes = WORDS * 8, .value = value};
    set->run[op](&block);
    for (size_t i = 0; i < WORDS + 2 * GUARD; i++) {
        bool is_inside = i >= GUARD && i < GUARD + WORDS;
        CHECK(data[i] == (is_inside ? value : same[i]));
    }
    free(data);
    free(same);
}

static void copies_all(const struct kernels *set, enum kernels_op op)
{
    uint64_t *from = words(), *data;
    data = aligned_alloc(KERNELS_STEP, (WORDS + 2 * GUARD) * sizeof *data);
    CHECK(data);
    memset(data, 0, (WORDS + 2 * GUARD) * sizeof *data);
    struct kernels_block block = {.to = data + GUARD, .from = from + GUARD, .bytes = WORDS * 8};
    set->run[op](&block);
    CHECK(memcmp(data + GUARD, from + GUARD, WORDS * 8) == 0);
    CHECK_EQ(data[GUARD - 1], 0);
    CHECK_EQ(data[GUARD + WORDS], 0);
    free(data);
    free(from);
}

static void each_set(void (*check)(const struct kernels *, enum kernels_op), enum kernels_op op)
{
    for (size_t i = 0; kernels_usable(i); i++)
        check(kernels_usable(i), op);
}

TEST(reads_see_every_word)
{
    each_set(reads_all, KERNELS_READ);
    each_set(reads_all, KERNELS_READ_PREFETCH);
}

TEST(writes_write_every_word_and_no_other)
{
    each_set(writes_all, KERNELS_WRITE);
    each_set(writes_all, KERNELS_WRITE_NT);
}

TEST(copies_copy_every_word_and_no_other)
{
    each_set(copies_all, KERNELS_COPY);
    each_set(copies_all, KERNELS_COPY_NT);
}

TEST(a_stride_write_writes_four_bytes_of_each_line)
{
    uint64_t *data = words(), *same = words();
    struct kernels_block block = {.to = data + GUARD, .bytes = WORDS * 8, .value = 7};
    kernels_best()->run[KERNELS_STRIDE_WRITE](&block);
    for (size_t i = 0; i < WORDS; i++) {
        uint64_t expected = same[GUARD + i];
        if (i % (KERNELS_LINE / 8) == 0)
            memcpy(&expected, &(uint32_t){7}, 4);
        CHECK(data[GUARD + i] == expected);
    }
    free(data);
    free(same);
}

TEST(the_best_set_is_the_widest)
{
    size_t count = 0;
    while (kernels_usable(count))
        count++;
    CHECK(kernels_best() == kernels_usable(count - 1));
}
