// SPDX-License-Identifier: Apache-2.0
// What the firmware claims about memory, set beside what was measured: SLIT's distances as multiples of the local
// latency, and HMAT's latencies and bandwidths where the kernel has them (Documentation/admin-guide/mm/numaperf.rst).
#ifndef PROFILER_MEASURE_FIRMWARE_H
#define PROFILER_MEASURE_FIRMWARE_H

#include "core/topology.h"
#include "profiler/measure/result.h"

enum { FIRMWARE_DISTANCES = 64, FIRMWARE_HMAT = 256 };

// All pairs of nodes at one distance. Relative latencies: each beside the local one of its CPUs.
struct firmware_distance {
    int distance;
    size_t pairs;
    double claimed;             // distance / 10
    double median, low, high;   // measured, of the pairs' medians
};

// HMAT's row of one memory: from its best initiators (class 0), or from its best CPUs (class 1).
struct firmware_hmat {
    int to, class;
    int from;                   // the first initiator that was measured, or -1
    double latency_ns, read_bytes_per_s;                     // claimed; 0: not told
    double measured_latency_ns, measured_read_bytes_per_s;   // 0: not measured
};

// The latency that stands beside the firmware: the random walk's, on huge pages if there are any.
enum metric_id firmware_metric(const struct result *result);

// Rising distances of pairs that were measured. Returns how many.
size_t firmware_distances(const struct result *result, const struct topology *t,
                          struct firmware_distance found[FIRMWARE_DISTANCES]);
// Returns how many; 0 where the kernel has no HMAT.
size_t firmware_hmat(const struct result *result, const struct topology *t, const char *root,
                     struct firmware_hmat found[FIRMWARE_HMAT]);

// Measured differs from claimed by more than 10 %.
bool firmware_differs(double claimed, double measured);

#endif
