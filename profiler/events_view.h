// SPDX-License-Identifier: Apache-2.0
// What `numaprof events` shows of the catalogue: as text for people, and as JSON whose form docs/events.md describes.
#ifndef PROFILER_EVENTS_VIEW_H
#define PROFILER_EVENTS_VIEW_H

#include <stdbool.h>

#include "collectors/plan.h"
#include "core/cpu_identity.h"

struct events_view {
    const struct catalogue *catalogue;
    const struct catalogue_cpu *cpu;
    const struct cpu_identity *machine; // NULL: the CPU was asked for by name
    bool pmu_seen;                      // the kernel of that machine shows the PMU that the events need
    bool split;                         // as for sockets that are several nodes
    bool all;                           // the text lists alternatives too; JSON always does
    struct plan plan;
};

void events_text_cpu(const struct events_view *view);
void events_text_list(const struct catalogue *catalogue);
void events_json_cpu(const struct events_view *view);
void events_json_list(const struct catalogue *catalogue);

// Compares the numbers of every named event with libpfm4's, for one CPU or (NULL) all. Returns how many differ.
int events_check(const struct catalogue *catalogue, const struct catalogue_cpu *cpu);

#endif
