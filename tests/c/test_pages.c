// SPDX-License-Identifier: Apache-2.0
// Snapshots of this process's own pages, of which the kernel tells where they are.
#include "collectors/pages/pages.h"

#include "collectors/pages/pages_state.h"
#include "hand_modules.h"

enum { PAGES = 512 };

static struct pages pages;
static struct process *own;
static uint64_t region, page_bytes;

// Touched pages, in a mapping of their own between two that nobody may touch.
static void begin(bool sees_touches)
{
    int32_t node;
    hand_modules();
    page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    pages = (struct pages){.queue = tasks.queue, .tasks = &tasks, .page_bytes = page_bytes,
                           .sees_touches = sees_touches};
    own = tasks_add_process(&tasks, getpid(), NULL, 1, "preload");
    char *memory = mmap(NULL, (PAGES + 2) * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(own && memory != MAP_FAILED);
    CHECK_EQ(mprotect(memory + page_bytes, PAGES * page_bytes, PROT_READ | PROT_WRITE), 0);
    memset(memory + page_bytes, 1, PAGES * page_bytes);
    region = (uint64_t)(uintptr_t)memory + page_bytes;
    CHECK_SKIP_UNLESS(pages_state_query(getpid(), &region, 1, &node) > 0 && node >= 0, "move_pages is forbidden here");
}

static void finish(void)
{
    pages_free(&pages);
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

static long long pages_found(void)
{
    char query[128];
    snprintf(query, sizeof query, "SELECT sum(span) FROM page_home WHERE node >= 0 AND address BETWEEN %llu AND %llu",
             (unsigned long long)region, (unsigned long long)(region + PAGES * page_bytes - 1));
    return hand_number(query);
}

TEST(a_snapshot_finds_every_touched_page_of_a_mapping)
{
    begin(false);
    pages_snapshot(&pages, own, 101, "exit");
    finish();
    CHECK_EQ(pages_found(), PAGES);
    CHECK_EQ(hand_number("SELECT t_ns FROM snapshot WHERE cause = 'exit' AND method = 'move_pages'"), 100);
    CHECK(pages.worked);
}

// Of the mappings of this process, one has had faults that were seen; the others are not known.
static uint64_t unseen_after(uint64_t placed_by_faults)
{
    begin(true);
    const struct mapping mapping = {.start = region, .end = region + PAGES * page_bytes, .path = "",
                                    .kind = MAPPING_ANONYMOUS};
    address_space_clear(&own->space);
    CHECK_EQ(address_space_add(&own->space, mapping), 0);
    struct mapping *tracked = address_space_find(&own->space, region);
    tracked->touched = true;
    tracked->placed_pages = placed_by_faults;
    pages_snapshot(&pages, own, 101, "exit");
    finish();
    return pages.unseen_pages;
}

TEST(pages_that_no_fault_was_seen_to_place_are_counted_at_the_end)
{
    CHECK_EQ(unseen_after(100), PAGES - 100);
}

TEST(a_few_pages_more_than_the_faults_stand_for_are_not_worth_a_word)
{
    CHECK_EQ(unseen_after(PAGES - 60), 0);
}
