// SPDX-License-Identifier: Apache-2.0
// Records of a machine of the other byte order.
#ifndef PROFILER_IMPORT_PERF_DATA_PERF_SWAP_H
#define PROFILER_IMPORT_PERF_DATA_PERF_SWAP_H

#include "collectors/perf/perf_record.h"

// Both take a kernel's record, whose header was swapped before, and swap its numbers in place. The contents of copied
// stacks and raw data stay as they are.

// tail: sample_type of the fields that sample_id_all appends; 0: none. Of a sample, every eight bytes are swapped as
// one number: its event's id can be read then.
void perf_swap_record(struct perf_event_header *header, uint64_t tail);
// Then, of a sample: the numbers of four bytes, by the layout of its event.
void perf_swap_sample(struct perf_event_header *header, const struct perf_layout *layout);

#endif
