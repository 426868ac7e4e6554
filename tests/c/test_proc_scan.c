// SPDX-License-Identifier: Apache-2.0
// Threads whose end nobody tells. Their numbers are beyond any that there is, so the kernel says that they are gone.
#include "profiler/recorder/targets/proc_scan.h"

#include "hand_modules.h"

enum { FIRST = 1 << 29, EARLY = 16, LATE = 64 };

static int left(int from, int count)
{
    int found = 0;
    for (int i = from; i < from + count; i++)
        found += tasks_thread(&tasks, FIRST + i) != NULL;
    return found;
}

// The end of one thread is no second look at all the others.
TEST(a_thread_has_ended_that_two_scans_do_not_find)
{
    hand_modules();
    struct proc_scan scan = {.targets = &targets, .machine = &machine};
    struct process *process = tasks_add_process(&tasks, getpid(), NULL, 1, "inherited");
    CHECK(process && tasks_add_thread(&tasks, process, getpid(), 1, true, NULL));
    for (int i = 0; i < EARLY; i++)
        CHECK(tasks_add_thread(&tasks, process, FIRST + i, 1, true, NULL));
    proc_scan_run(&scan, 2);
    CHECK_EQ(left(0, EARLY), EARLY);
    for (int i = EARLY; i < EARLY + LATE; i++)
        CHECK(tasks_add_thread(&tasks, process, FIRST + i, 2, true, NULL));
    proc_scan_run(&scan, 3);
    CHECK_EQ(left(0, EARLY), 0);
    CHECK_EQ(left(EARLY, LATE), LATE);
    proc_scan_run(&scan, 4);
    CHECK_EQ(left(EARLY, LATE), 0);
    CHECK(tasks_thread(&tasks, getpid()));
    proc_scan_close(&scan);
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}
