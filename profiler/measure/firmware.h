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

struct firmware_claim {
    double claimed, measured;   // 0: not told; not measured
};

// HMAT's row of one memory: from its best initiators (class 0), or from its best CPUs (class 1). Written is past the
// caches, from all cores; how long a write takes is not measured: no store waits for the memory.
struct firmware_hmat {
    int to, class;
    int from;                   // the first initiator that was measured, or -1
    struct firmware_claim read_ns, write_ns, read_bytes_per_s, write_bytes_per_s;
};

// The latency that stands beside the firmware: the random walk's, on huge pages if there are any.
enum metric_id firmware_metric(const struct result *result);

// Rising distances of pairs that were measured. Returns how many.
size_t firmware_distances(const struct result *result, const struct topology *t,
                          struct firmware_distance found[FIRMWARE_DISTANCES]);
// Returns how many; 0 where the kernel has no HMAT. What class 1 has in common with class 0 is given once.
size_t firmware_hmat(const struct result *result, const struct topology *t, const char *root,
                     struct firmware_hmat found[FIRMWARE_HMAT]);

// Measured differs from claimed by more than 10 %.
bool firmware_differs(double claimed, double measured);

#endif
