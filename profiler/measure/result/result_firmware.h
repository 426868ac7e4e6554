// SPDX-License-Identifier: Apache-2.0
// The firmware's claims about memory beside the measurement: SLIT's distances as multiples of the local
// latency, and HMAT's latencies and bandwidths where the kernel has them (Documentation/admin-guide/mm/numaperf.rst).
#ifndef PROFILER_MEASURE_RESULT_RESULT_FIRMWARE_H
#define PROFILER_MEASURE_RESULT_RESULT_FIRMWARE_H

#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"

enum { RESULT_FIRMWARE_DISTANCES = 64, RESULT_FIRMWARE_HMAT = 256 };

// All pairs of nodes at one distance. Relative latencies: each beside the local one of its CPUs.
struct result_firmware_distance {
    int distance;
    size_t pairs;
    double claimed;             // distance / 10
    double median, low, high;   // measured, of the pairs' medians
};

struct result_firmware_claim {
    double claimed, measured;   // 0: no claim; not measured
};

// HMAT's row of one memory: from its best initiators (class 0), or from its best CPUs (class 1). Written is past the
// caches, from all cores; how long a write takes is not measured: no store waits for the memory.
struct result_firmware_hmat {
    int to, class;
    int from;                   // the first initiator that was measured, or -1
    struct result_firmware_claim read_ns, write_ns, read_bytes_per_s, write_bytes_per_s;
};

// The latency that stands beside the firmware: the random walk's, on huge pages if there are any.
enum result_metric_id result_firmware_metric(const struct result *result);

// Rising distances of pairs that were measured. Returns how many.
size_t result_firmware_distances(const struct result *result, const struct topology *t,
                                 struct result_firmware_distance found[RESULT_FIRMWARE_DISTANCES]);
// Returns how many; 0 where the kernel has no HMAT. What class 1 has in common with class 0 is given once.
size_t result_firmware_hmat(const struct result *result, const struct topology *t, const char *root,
                            struct result_firmware_hmat found[RESULT_FIRMWARE_HMAT]);

// Measured differs from claimed by more than 10 %.
bool result_firmware_differs(double claimed, double measured);

#endif
