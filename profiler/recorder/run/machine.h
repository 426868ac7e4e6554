// SPDX-License-Identifier: Apache-2.0
// The machine of a run: its topology, and the CPUs in the order threads take them.
#ifndef PROFILER_RECORDER_RUN_MACHINE_H
#define PROFILER_RECORDER_RUN_MACHINE_H

#include "core/recording/recording_queue.h"
#include "core/system/rank.h"
#include "core/topology/topology.h"
#include "profiler/launch/run_options.h"

struct machine {
    struct topology topology;
    int pin_order[CPULIST_MAX];      // CPUs in the order threads take them
    size_t slot_count;
    struct rank rank;                // of a parallel job; if is_rank
    bool is_rank, shares_cpus;       // shares_cpus: pin_order is this rank's share
    bool holds_place;                // place_held: among the ranks that may use the same CPUs, until machine_close
    int place_held;
    const char *emulated;            // name of the emulated machine, or NULL
    char emulated_name[64];
};

// Prints what is wrong and returns an exit status, or 0. machine_close frees it in both cases.
int machine_open(struct machine *machine, const struct run_options *options);
void machine_close(struct machine *machine);

// Writes the nodes, the CPUs, and the distances between nodes.
void machine_write(const struct machine *machine, struct recording_queue *queue);

#endif
