// SPDX-License-Identifier: Apache-2.0
// Which events sample single loads on a CPU, the best first: PEBS load latency on Intel (on a model that the catalogue
// does not know, the events that the kernel names), else retired loads that missed, with
// their address and without latency (precisely to the instruction, else, as some guests have it, to the one behind);
// IBS op on AMD, with the kernel's part left out by the kernel or by us, on whole
// CPUs where the kernel knows no IBS of tasks (before Linux 6.2), with the registers that Linux before 6.1 does not
// decode; marked loads on POWER. Arm's SPE writes packets that
// the kernel hands over undecoded: not done.
#ifndef COLLECTORS_LOADS_LOADS_PLAN_H
#define COLLECTORS_LOADS_LOADS_PLAN_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "collectors/events/event_catalogue.h"
#include "collectors/loads/loads_source.h"

enum {
    LOADS_PLAN_ATTEMPTS = 4,
    LOADS_PLAN_EVENTS = 2,
    LOADS_FIRST_PERIOD = 5003,     // of loads that took long
    LOADS_FIRST_OPERATIONS = 1000000, // of IBS: some thousand samples a second
    LOADS_THRESHOLD_CYCLES = 30,   // shorter ones hit the own caches; perf mem's default
};

struct loads_event {
    struct perf_event_attr attr;   // what to sample; how often and with what else is the caller's
    const char *name;
    enum load_source source;       // of each of its samples; LOAD_UNKNOWN: the sample tells
    bool sampled;                  // false: it must lead the group
};

struct loads_plan {
    const char *method;
    struct loads_event events[LOADS_PLAN_EVENTS];
    int count;
    uint64_t first_period;         // until the rate is known
    uint64_t period_step;          // periods must be multiples of it ...
    uint64_t least_period;         // ... and no smaller
    bool with_registers;           // the kernel may leave it to us to decode the registers (PERF_SAMPLE_RAW)
    bool with_kernel;              // its events cannot leave the kernel out: drop those samples
    bool of_cpus;                  // they sample whatever runs on a CPU: drop the samples of other programs
};

// attempt: from 0, each to be opened where those before could not be. -ENOTSUP: there is no such one on this CPU or
// this kernel. root as for event_encode.
int loads_plan(struct loads_plan *plan, const struct event_catalogue *catalogue, const struct event_cpu *cpu,
               const char *root, int attempt);

#endif
