// SPDX-License-Identifier: Apache-2.0
// What decides whether perf events can be opened here, beyond the event itself.
#ifndef COLLECTORS_PERF_PERF_CONTEXT_H
#define COLLECTORS_PERF_PERF_CONTEXT_H

#include <limits.h>
#include <stdbool.h>

#include "core/system/host.h"

enum { PERF_CONTEXT_UNKNOWN = INT_MIN, PERF_CONTEXT_PMU_BYTES = 64 };

struct perf_context {
    struct host host;
    int paranoid;                       // kernel.perf_event_paranoid; PERF_CONTEXT_UNKNOWN: no such file
    bool perfmon;                       // CAP_PERFMON or CAP_SYS_ADMIN: no level below 3 binds this process
    bool admin;                         // CAP_SYS_ADMIN: nor do 3 and 4, which distributions have added
    char pmu[PERF_CONTEXT_PMU_BYTES];   // the CPU's PMU below /sys/bus/event_source/devices; "" none
};

void perf_context_pmu(char pmu[PERF_CONTEXT_PMU_BYTES], const char *root); // this alone

void perf_context_read(struct perf_context *context, const char *root);

#endif
