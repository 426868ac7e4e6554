// SPDX-License-Identifier: Apache-2.0
// Records of a machine of the other byte order.
#ifndef PROFILER_IMPORT_PERF_DATA_PERF_SWAP_H
#define PROFILER_IMPORT_PERF_DATA_PERF_SWAP_H

#include "profiler/import/perf_data/perf_file.h"

// Swaps the numbers of a kernel's record in place; its header was swapped before. The contents of copied stacks and raw
// data stay as they are.
void perf_swap_record(const struct perf_file *file, struct perf_event_header *header);

#endif
