// SPDX-License-Identifier: Apache-2.0
#include "collectors/faults/faults_kind.h"
#include "collectors/pages/pages_state.h"
#include "tests/c/check.h"

static const struct mapping anonymous = {.kind = MAPPING_ANONYMOUS};
static const struct mapping data = {.kind = MAPPING_STATIC, .file_backed = true};
static const struct mapping file = {.kind = MAPPING_FILE, .file_backed = true};

// The plain case: a new page of anonymous memory, nothing missed, no fork, no balancing.
#define FACTS(...) (&(struct faults_facts){.mapping = &anonymous, .tells_mapped = true, .saw_all = true, __VA_ARGS__})

TEST(new_page_with_a_home_is_a_first_touch)
{
    CHECK_EQ(faults_kind_of(FACTS(.now = 1)), FAULTS_FIRST_TOUCH);
    CHECK_EQ(faults_kind_of(FACTS(.now = PAGES_SOMEWHERE)), FAULTS_FIRST_TOUCH);
}

TEST(read_of_untouched_memory_maps_the_zero_page_and_the_write_places_it)
{
    CHECK_EQ(faults_kind_of(FACTS(.now = PAGES_ZERO)), FAULTS_ZERO_PAGE);
    CHECK_EQ(faults_kind_of(FACTS(.was_mapped = true, .before = FAULTS_STATE_ZERO, .now = 0)), FAULTS_FIRST_TOUCH);
}

TEST(page_that_was_there_before_and_is_not_mapped_came_back)
{
    CHECK_EQ(faults_kind_of(FACTS(.before = FAULTS_STATE_TOUCHED, .now = 0)), FAULTS_REFAULT);
}

TEST(mapped_page_after_fork_is_copied)
{
    CHECK_EQ(faults_kind_of(FACTS(.was_mapped = true, .forked = true, .before = FAULTS_STATE_TOUCHED, .now = 0)),
             FAULTS_COPY_ON_WRITE);
}

TEST(mapped_page_under_balancing_is_a_hint)
{
    CHECK_EQ(faults_kind_of(FACTS(.was_mapped = true, .balancing = true, .before = FAULTS_STATE_TOUCHED, .now = 1)),
             FAULTS_HINT);
    CHECK_EQ(faults_kind_of(FACTS(.was_mapped = true, .balancing = true, .now = 1)), FAULTS_HINT);
    CHECK_EQ(faults_kind_of(FACTS(.was_mapped = true, .balancing = true, .saw_all = false, .now = 1)), FAULTS_HINT);
}

TEST(what_could_be_two_things_is_unknown)
{
    CHECK_EQ(faults_kind_of(
                 FACTS(.was_mapped = true, .balancing = true, .saw_all = false, .saw_zero_pages = true, .now = 1)),
             FAULTS_UNKNOWN);
    CHECK_EQ(faults_kind_of(FACTS(.was_mapped = true, .balancing = true, .forked = true, .before = FAULTS_STATE_TOUCHED,
                                  .now = 1)),
             FAULTS_UNKNOWN);
    CHECK_EQ(faults_kind_of(FACTS(.now = PAGES_UNKNOWN)), FAULTS_UNKNOWN);
    CHECK_EQ(faults_kind_of(FACTS(.now = PAGES_ABSENT)), FAULTS_UNKNOWN);
    CHECK_EQ(faults_kind_of(FACTS(.mapping = NULL, .now = 0)), FAULTS_UNKNOWN);
}

TEST(file_pages_are_not_the_programs_to_place)
{
    CHECK_EQ(faults_kind_of(FACTS(.mapping = &file, .now = 0)), FAULTS_FILE);
    CHECK_EQ(faults_kind_of(FACTS(.mapping = &data, .is_file_page = 1, .now = 0)), FAULTS_FILE);
    CHECK_EQ(faults_kind_of(FACTS(.mapping = &data, .is_file_page = 0, .now = 0)), FAULTS_COPY_ON_WRITE);
    CHECK_EQ(faults_kind_of(FACTS(.mapping = &data, .is_file_page = -1, .now = 0)), FAULTS_UNKNOWN);
    CHECK_EQ(faults_kind_of(FACTS(.mapping = &data, .was_mapped = true, .now = 0)), FAULTS_COPY_ON_WRITE);
}

TEST(kernel_that_does_not_tell_gives_fewer_answers)
{
    CHECK_EQ(faults_kind_of(FACTS(.tells_mapped = false, .now = 1)), FAULTS_FIRST_TOUCH);
    CHECK_EQ(faults_kind_of(FACTS(.tells_mapped = false, .now = 1, .saw_all = false)), FAULTS_UNKNOWN);
    CHECK_EQ(faults_kind_of(FACTS(.tells_mapped = false, .now = 1, .before = FAULTS_STATE_TOUCHED)), FAULTS_UNKNOWN);
}
