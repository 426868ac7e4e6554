// SPDX-License-Identifier: Apache-2.0
// Call stacks get one number each, and share their callers.
#include "collectors/samples/call_stacks.h"

#include "hand_made.h"

static struct call_stacks stacks;
static struct address_space space;
static struct intern *paths;

static void map(uint64_t start, const char *path)
{
    const struct mapping mapping = {.start = start, .end = start + 0x10000, .kind = MAPPING_FILE, .executable = true,
                                    .file_backed = true, .path = intern_text(&paths, path)};
    CHECK_EQ(address_space_add(&space, mapping), 0);
}

static void begin(void)
{
    stacks.queue = hand_recording();
    map(0x400000, "/bin/program");
    map(0x500000, "/lib/hidden.so");
}

static int64_t intern(uint64_t first, uint64_t second, uint64_t third, bool is_truncated)
{
    const uint64_t addresses[] = {first, second, third};
    return call_stacks_intern(&stacks, &space, 1, addresses, 3, is_truncated);
}

static void end(void)
{
    CHECK_EQ(recording_queue_stop(stacks.queue), 0);
    call_stacks_free(&stacks);
}

TEST(the_same_call_stack_has_the_same_number)
{
    begin();
    int64_t one = intern(0x400010, 0x400020, 0x400030, false);
    CHECK(one > 0);
    CHECK_EQ(intern(0x400010, 0x400020, 0x400030, false), one);
    CHECK(intern(0x400011, 0x400020, 0x400030, false) != one);
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM stack"), 4); // two callers shared by two innermost frames
    CHECK_EQ(hand_number("SELECT count(*) FROM place"), 4);
}

TEST(callers_are_written_as_the_calls_not_as_the_return_addresses)
{
    begin();
    intern(0x400010, 0x400020, 0x400030, false);
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM place WHERE address IN (0x10, 0x1f, 0x2f)"), 3);
}

TEST(a_truncated_call_stack_is_another_one_and_says_so_at_its_outermost_frame)
{
    begin();
    int64_t whole = intern(0x400010, 0x400020, 0x400030, false);
    CHECK(intern(0x400010, 0x400020, 0x400030, true) != whole);
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM stack WHERE truncated"), 1);
    CHECK_EQ(hand_number("SELECT count(*) FROM stack WHERE truncated AND caller IS NULL"), 1);
}

TEST(frames_of_the_preload_library_are_left_out)
{
    begin();
    stacks.hidden = "/lib/hidden.so";
    int64_t direct = call_stacks_intern(&stacks, &space, 1, (const uint64_t[]){0x400010, 0x400030}, 2, false);
    CHECK_EQ(intern(0x400010, 0x500020, 0x400030, false), direct);
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM place"), 2);
}

TEST(weights_lead_to_the_lines_of_the_program)
{
    struct table programs = {0};
    begin();
    table_put(&programs, (uintptr_t)intern_text(&paths, "/bin/program"), 1);
    call_stacks_weigh(&stacks, intern(0x500010, 0x400020, 0x400030, false), 100);
    call_stacks_weigh(&stacks, RECORDING_NULL, 5);
    uint64_t *weights = call_stacks_place_weights(&stacks, &programs);
    uint64_t heaviest = 0;
    for (int64_t i = 0; i < stacks.place_count; i++)
        heaviest = weights[i] > heaviest ? weights[i] : heaviest;
    CHECK_EQ(heaviest, 100);
    free(weights);
    table_free(&programs);
    end();
}
