// SPDX-License-Identifier: Apache-2.0
// IBS op samples of kernels before Linux 6.1, which hand over the registers (PERF_SAMPLE_RAW) and fill in neither
// address nor source nor latency. Registers and bits: AMD64 Architecture Programmer's Manual, volume 2, "Instruction-
// Based Sampling", and the Processor Programming Reference of family 19h.
#ifndef COLLECTORS_LOADS_LOADS_IBS_H
#define COLLECTORS_LOADS_LOADS_IBS_H

#include "collectors/perf/perf_record.h"

// Fills in what a later kernel would have: address, latency, and source as in PERF_SAMPLE_DATA_SRC. A sample that has
// them already, that has no registers, or whose operation accessed no memory, stays as it is.
void loads_ibs_decode(struct perf_sample *sample);

#endif
