// SPDX-License-Identifier: Apache-2.0
#include "collectors/fault_kind.h"
#include "collectors/page_state.h"
#include "tests/c/check.h"

static const struct mapping anonymous = {.kind = MAP_KIND_ANONYMOUS};
static const struct mapping data = {.kind = MAP_KIND_STATIC, .file_backed = true};
static const struct mapping file = {.kind = MAP_KIND_FILE, .file_backed = true};

// The plain case: a new page of anonymous memory, nothing missed, no fork, no balancing.
#define FACTS(...) (&(struct fault_facts){.mapping = &anonymous, .tells_mapped = true, .saw_all = true, __VA_ARGS__})

TEST(new_page_with_a_home_is_a_first_touch)
{
    CHECK_EQ(fault_kind_of(FACTS(.now = 1)), FAULT_FIRST_TOUCH);
    CHECK_EQ(fault_kind_of(FACTS(.now = PAGE_SOMEWHERE)), FAULT_FIRST_TOUCH);
}

TEST(read_of_untouched_memory_maps_the_zero_page_and_the_write_places_it)
{
    CHECK_EQ(fault_kind_of(FACTS(.now = PAGE_ZERO)), FAULT_ZERO_PAGE);
    CHECK_EQ(fault_kind_of(FACTS(.was_mapped = true, .before = FAULT_STATE_ZERO, .now = 0)), FAULT_FIRST_TOUCH);
}

TEST(page_that_was_there_before_and_is_not_mapped_came_back)
{
    CHECK_EQ(fault_kind_of(FACTS(.before = FAULT_STATE_TOUCHED, .now = 0)), FAULT_REFAULT);
}

TEST(mapped_page_after_fork_is_copied)
{
    CHECK_EQ(fault_kind_of(FACTS(.was_mapped = true, .forked = true, .before = FAULT_STATE_TOUCHED, .now = 0)),
             FAULT_COPY_ON_WRITE);
}

TEST(mapped_page_under_balancing_is_a_hint)
{
    CHECK_EQ(fault_kind_of(FACTS(.was_mapped = true, .balancing = true, .before = FAULT_STATE_TOUCHED, .now = 1)),
             FAULT_HINT);
    CHECK_EQ(fault_kind_of(FACTS(.was_mapped = true, .balancing = true, .now = 1)), FAULT_HINT);
    CHECK_EQ(fault_kind_of(FACTS(.was_mapped = true, .balancing = true, .saw_all = false, .now = 1)), FAULT_HINT);
}

TEST(what_could_be_two_things_is_unknown)
{
    CHECK_EQ(fault_kind_of(FACTS(.was_mapped = true, .balancing = true, .saw_all = false, .saw_zero_pages = true, .now = 1)),
             FAULT_UNKNOWN);
    CHECK_EQ(fault_kind_of(FACTS(.was_mapped = true, .balancing = true, .forked = true,
                                 .before = FAULT_STATE_TOUCHED, .now = 1)), FAULT_UNKNOWN);
    CHECK_EQ(fault_kind_of(FACTS(.now = PAGE_UNKNOWN)), FAULT_UNKNOWN);
    CHECK_EQ(fault_kind_of(FACTS(.now = PAGE_ABSENT)), FAULT_UNKNOWN);
    CHECK_EQ(fault_kind_of(FACTS(.mapping = NULL, .now = 0)), FAULT_UNKNOWN);
}

TEST(file_pages_are_not_the_programs_to_place)
{
    CHECK_EQ(fault_kind_of(FACTS(.mapping = &file, .now = 0)), FAULT_FILE);
    CHECK_EQ(fault_kind_of(FACTS(.mapping = &data, .is_file_page = 1, .now = 0)), FAULT_FILE);
    CHECK_EQ(fault_kind_of(FACTS(.mapping = &data, .is_file_page = 0, .now = 0)), FAULT_COPY_ON_WRITE);
    CHECK_EQ(fault_kind_of(FACTS(.mapping = &data, .is_file_page = -1, .now = 0)), FAULT_UNKNOWN);
    CHECK_EQ(fault_kind_of(FACTS(.mapping = &data, .was_mapped = true, .now = 0)), FAULT_COPY_ON_WRITE);
}

TEST(kernel_that_does_not_tell_gives_fewer_answers)
{
    CHECK_EQ(fault_kind_of(FACTS(.tells_mapped = false, .now = 1)), FAULT_FIRST_TOUCH);
    CHECK_EQ(fault_kind_of(FACTS(.tells_mapped = false, .now = 1, .saw_all = false)), FAULT_UNKNOWN);
    CHECK_EQ(fault_kind_of(FACTS(.tells_mapped = false, .now = 1, .before = FAULT_STATE_TOUCHED)), FAULT_UNKNOWN);
}
