// SPDX-License-Identifier: Apache-2.0
// What `numaprof events` shows of the catalogue: as text for people, and as JSON whose form docs/events.md describes.
#ifndef PROFILER_COMMANDS_EVENTS_CMD_EVENTS_VIEW_H
#define PROFILER_COMMANDS_EVENTS_CMD_EVENTS_VIEW_H

#include <stdbool.h>

#include "collectors/events/event_plan.h"
#include "core/system/cpu_identity.h"

struct cmd_events_view {
    const struct event_catalogue *catalogue;
    const struct event_cpu *cpu;
    const struct cpu_identity *machine; // NULL: the CPU was asked for by name
    int nodes;                          // of that machine; 0: not known
    bool pmu_seen;                      // the kernel of that machine shows the PMU that the events need
    bool split;                         // as for sockets that are several nodes
    bool all;                           // the text lists alternatives too; JSON always does
    struct event_plan plan;
};

void cmd_events_text_cpu(const struct cmd_events_view *view);
void cmd_events_text_list(const struct event_catalogue *catalogue);
void cmd_events_json_cpu(const struct cmd_events_view *view);
void cmd_events_json_list(const struct event_catalogue *catalogue);

// Compares the numbers of every named event with libpfm4's, for one CPU or (NULL) all. Returns how many differ.
int cmd_events_check(const struct event_catalogue *catalogue, const struct event_cpu *cpu);

#endif
