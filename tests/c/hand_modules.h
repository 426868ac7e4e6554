// SPDX-License-Identifier: Apache-2.0
// The recorder's own modules, which write what they find to a recording made by hand.
#ifndef TESTS_C_HAND_MODULES_H
#define TESTS_C_HAND_MODULES_H

#include "hand_made.h"
#include "profiler/recorder/targets/targets.h"

static struct machine machine;
static struct tasks tasks;
static struct perf_streams streams;
static struct losses losses;
static struct samples samples;
static struct stack_walk walk;
static struct allocations allocations;
static struct counter_sets sets;
static struct targets targets;
static struct programs_unconnected unconnected;

static inline void hand_modules(void)
{
    tasks = (struct tasks){.queue = hand_recording(), .epoch = 1, .has_kernel_records = true};
    CHECK_EQ(stack_walk_open(&walk), 0);
    walk.stacks.queue = tasks.queue;
    samples = (struct samples){.queue = tasks.queue, .stacks = &walk.stacks};
    allocations = (struct allocations){.tasks = &tasks, .streams = &streams, .losses = &losses, .walk = &walk};
    CHECK_EQ(allocations_open(&allocations), 0);
    allocations_attach(&allocations);
    sets = (struct counter_sets){.tasks = &tasks, .streams = &streams, .losses = &losses, .walk = &walk};
    unconnected = (struct programs_unconnected){0};
    targets = (struct targets){.tasks = &tasks, .sets = &sets, .allocations = &allocations, .walk = &walk,
                               .programs = {.tasks = &tasks, .sets = &sets, .unconnected = &unconnected},
                               .outside = {.tasks = &tasks, .sets = &sets, .machine = &machine}};
}

#endif
