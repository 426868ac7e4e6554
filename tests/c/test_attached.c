// SPDX-License-Identifier: Apache-2.0
// What attaching to 2 000 threads on a machine with 256 CPUs leaves out, by the limit of open files. Nothing is opened.
#include "profiler/recorder/targets/attached.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "core/text/diag.h"

enum { GROUPS = 3, THREADS = 2000, CPUS = 256, OWN = 256 };

static struct counter_sets sets;
static struct targets targets = {.sets = &sets};
static struct topology topology = {.cpu_count = CPUS};
static struct running_process processes[THREADS];
static struct running running = {.processes = processes, .count = THREADS};

// This process has one thread: the list has it so many times.
static int plan(rlim_t files, struct attached *attached)
{
    const struct rlimit limit = {.rlim_cur = files, .rlim_max = files};
    *attached = (struct attached){.running = &running, .targets = &targets, .topology = &topology};
    sets = (struct counter_sets){.usable = true};
    sets.counters = (struct counters){.group_count = GROUPS, .usable = GROUPS, .loads_group = -1};
    for (int i = 0; i < GROUPS; i++)
        sets.counters.groups[i] = (struct counters_group){.count = 2};
    for (int i = 0; i < THREADS; i++)
        processes[i].pid = getpid();
    CHECK_SKIP_UNLESS(setrlimit(RLIMIT_NOFILE, &limit) == 0, "this machine allows fewer open files");
    return attached_plan(attached);
}

TEST(all_threads_are_counted_with_all_classes_where_that_fits)
{
    struct attached attached;
    CHECK_EQ(plan(20000, &attached), 0);
    CHECK(attached.of_machine); // by thread on each CPU, page faults alone would take a million files
    CHECK_EQ(attached.left_out, 0);
    CHECK_EQ(attached.needed, OWN + 2 * CPUS + THREADS * (2 + 2 * GROUPS));
}

TEST(classes_are_left_out_before_threads)
{
    struct attached attached;
    CHECK_EQ(plan(16384, &attached), 0);
    CHECK_EQ(attached.left_out, 1);
    CHECK_EQ(attached.needed, OWN + 2 * CPUS + THREADS * (2 + 2 * (GROUPS - 1)));
    CHECK(sets.counters.files_for_all >= THREADS * (2 + 2 * (GROUPS - 1)));
    CHECK_EQ(sets.counters.groups[0].error, 0); // the pair that decides the verdict
}

TEST(where_one_class_does_not_fit_the_number_that_is_needed_is_said)
{
    struct attached attached;
    CHECK_EQ(plan(4096, &attached), DIAG_EXIT_FAILED);
    CHECK_EQ(attached.left_out, GROUPS - 1);
    CHECK_EQ(attached.needed, OWN + 2 * CPUS + THREADS * (2 + 2));
}
