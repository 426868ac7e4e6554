// SPDX-License-Identifier: Apache-2.0
// Who answered a sampled load, from the kernel's PERF_SAMPLE_DATA_SRC. The kernel fills different fields for different
// CPU generations; this reads what any of them sets:
//   until Broadwell, POWER, AMD IBS: mem_lvl (a set of bits); REM_RAM1 there may stand beside mem_lvl_num L3
//   from Skylake-SP on: mem_lvl_num and mem_remote; mem_lvl then has no REM_RAM bit
// (arch/x86/events/intel/ds.c and arch/x86/events/amd/ibs.c of Linux 6.1 and later.)
#ifndef COLLECTORS_LOADS_LOADS_SOURCE_H
#define COLLECTORS_LOADS_LOADS_SOURCE_H

#include "core/recording/recording.h"
#include "recording_codes.h"

#include <stdint.h>

// Ids of the table source in core/recording/schema.sql.
enum load_source {
    LOAD_UNKNOWN = 0,
    LOAD_LOCAL_DRAM = RECORDING_SOURCE_LOCAL_DRAM,
    LOAD_REMOTE_DRAM = RECORDING_SOURCE_REMOTE_DRAM,
    LOAD_LOCAL_CACHE = RECORDING_SOURCE_LOCAL_CACHE,    // another core's, or the shared one, in the same package
    LOAD_REMOTE_CACHE = RECORDING_SOURCE_REMOTE_CACHE,
    LOAD_REMOTE_MODIFIED = RECORDING_SOURCE_REMOTE_MODIFIED,
    LOAD_OWN_CACHE = RECORDING_SOURCE_OWN_CACHE,
    LOAD_OTHER = RECORDING_SOURCE_OTHER,          // devices, uncached memory
    // Memory behind CXL, persistent memory, or of a node without CPUs that is no high-bandwidth memory.
    LOAD_SLOW_TIER = RECORDING_SOURCE_SLOW_TIER,
};

enum load_source load_source_of(uint64_t data_src);

#endif
