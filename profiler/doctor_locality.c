// SPDX-License-Identifier: Apache-2.0
// Events that tell local from remote memory. Which encodings those are, the event catalogue knows for each CPU model;
// this is the one place of doctor that asks.
#include <unistd.h>

#include "profiler/doctor.h"

// The kernel's own idea of such an event. What it counts differs between CPUs (loads here, local loads there), so it
// only shows that the registers can be reached.
static const struct perf_event_attr doctor_locality_generic = {
    .type = PERF_TYPE_HW_CACHE,
    .config = PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16,
    .exclude_kernel = 1,
    .exclude_hv = 1,
};

void doctor_locality_offcore(const struct doctor *d, struct doctor_finding *f)
{
    if (!d->perf.pmu[0]) {
        doctor_no_pmu(f);
        return;
    }
    struct perf_event_attr attr = doctor_locality_generic;
    int fd = doctor_open(d, f, "node-loads", &attr);
    if (fd < 0)
        return;
    close(fd);
    doctor_find(f, DOCTOR_YES, "node-loads can be counted");
}

void doctor_locality_retired(const struct doctor *d, struct doctor_finding *f)
{
    if (d->perf.pmu[0])
        doctor_find(f, DOCTOR_UNKNOWN, "see numaprof events");
    else
        doctor_no_pmu(f);
}
