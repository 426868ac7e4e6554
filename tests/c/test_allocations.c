// SPDX-License-Identifier: Apache-2.0
// The rings in which the library of a process writes its large blocks.
#include "profiler/recorder/evidence/allocations.h"

#include <fcntl.h>

#include "collectors/heap/alloc_record.h"
#include "hand_modules.h"

enum { PROCESS = 1 << 29 }; // beyond any pid there is (PID_MAX_LIMIT)

static struct process *process;

static int sealed_ring(void)
{
    int fd = memfd_create("ring", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    CHECK_EQ(ftruncate(fd, ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES), 0);
    CHECK_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    return fd;
}

static void open_ring(void)
{
    hand_modules();
    process = tasks_add_process(&tasks, PROCESS, NULL, 1, "preload");
    CHECK(process != NULL);
    int fd = sealed_ring();
    allocations_open_ring(&allocations, process, fd);
    close(fd);
}

static void finish(void)
{
    allocations_close_rings(&allocations);
    objects_write(&allocations.objects);
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

TEST(a_ring_of_blocks_that_nobody_can_drain_is_closed_and_counted)
{
    check_no_memory = true;
    open_ring();
    CHECK_EQ(streams.count, 0);
    CHECK(!process->allocations);
    CHECK_EQ(losses.rings, 1);
}
