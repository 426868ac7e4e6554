// SPDX-License-Identifier: Apache-2.0
// The rows that say what memory costs on this machine, where numaprof topology --measure has been run on it.
#ifndef PROFILER_RECORDER_RUN_MEASURED_ROWS_H
#define PROFILER_RECORDER_RUN_MEASURED_ROWS_H

#include "core/recording/recording_queue.h"
#include "core/topology/topology.h"

// Writes the distances between nodes, and what was measured of them. use_measurement: else distances alone.
void measured_rows_write(const struct topology *topology, bool use_measurement, struct recording_queue *queue);

#endif
