// SPDX-License-Identifier: Apache-2.0
// The rings in which the library of a process writes its large blocks.
#include "profiler/recorder/evidence/allocations.h"

#include <errno.h>

#include "collectors/heap/alloc_record.h"
#include "hand_modules.h"

enum { PROCESS = 1 << 29 }; // beyond any pid there is (PID_MAX_LIMIT)

static struct process *process;

static void open_ring(void)
{
    hand_modules();
    process = tasks_add_process(&tasks, PROCESS, NULL, 1, "preload");
    CHECK(process != NULL);
    int fd = hand_sealed(ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES);
    allocations_open_ring(&allocations, process, fd);
    close(fd);
}

static void put(struct alloc_record record, uint64_t time)
{
    struct {
        struct alloc_record record;
        uint64_t time;
    } whole = {.record = record, .time = time};
    whole.record.header.size = sizeof whole;
    hand_put(&streams.items[0]->ring, &whole);
}

static void finish(void)
{
    perf_streams_drain(&streams, UINT64_MAX);
    allocations_close_rings(&allocations);
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

TEST(a_block_lives_from_its_call_to_its_free)
{
    open_ring();
    put((struct alloc_record){.header.type = ALLOC_RECORD_ALLOCATED, .address = 0x7000, .bytes = 1 << 20,
                              .since = 151, .kind = ALLOC_HEAP}, 201);
    put((struct alloc_record){.header.type = ALLOC_RECORD_FREED, .address = 0x7000}, 301);
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM block"), 1);
    CHECK_EQ(hand_number("SELECT bytes FROM block JOIN object ON object = object.id AND kind = 'heap'"), 1 << 20);
    CHECK_EQ(hand_number("SELECT start_ns FROM block"), 150);
    CHECK_EQ(hand_number("SELECT end_ns FROM block"), 300);
}

TEST(a_record_of_a_block_that_contradicts_itself_is_counted_as_malformed)
{
    open_ring();
    put((struct alloc_record){.header.type = ALLOC_RECORD_ALLOCATED, .address = 0x7000, .bytes = 1 << 20,
                              .stack_bytes = 8}, 201);
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM block"), 0);
    CHECK_EQ(losses.malformed, 1);
}

TEST(a_ring_of_blocks_that_nobody_can_drain_is_closed_and_counted)
{
    check_no_memory = true;
    open_ring();
    CHECK_EQ(streams.count, 0);
    CHECK(!process->allocations);
    CHECK_EQ(losses.rings, 1);
    CHECK_EQ(recording_queue_stop(tasks.queue), -ENOMEM); // nor is there memory to write it
}
