// SPDX-License-Identifier: Apache-2.0
// The feature sections of a perf.data file: the machine, and perf itself.
#ifndef PROFILER_IMPORT_PERF_DATA_PERF_FEATURES_H
#define PROFILER_IMPORT_PERF_DATA_PERF_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "collectors/perf/perf_bytes.h"
#include "core/util/table.h"

// Bits of the header (tools/perf/util/header.h).
enum perf_features_bit {
    PERF_FEATURES_BUILD_ID = 2,
    PERF_FEATURES_HOSTNAME = 3,
    PERF_FEATURES_OSRELEASE = 4,
    PERF_FEATURES_VERSION = 5,
    PERF_FEATURES_ARCH = 6,
    PERF_FEATURES_NRCPUS = 7,
    PERF_FEATURES_CPUDESC = 8,
    PERF_FEATURES_CPUID = 9,
    PERF_FEATURES_CMDLINE = 11,
    PERF_FEATURES_EVENT_DESC = 12,
    PERF_FEATURES_CPU_TOPOLOGY = 13,
    PERF_FEATURES_NUMA_TOPOLOGY = 14,
    PERF_FEATURES_SAMPLE_TIME = 21,
    PERF_FEATURES_MEM_TOPOLOGY = 22,
    PERF_FEATURES_DIRECTORY = 24,
    PERF_FEATURES_COMPRESSED = 27,
    PERF_FEATURES_CLOCK_DATA = 29,
    PERF_FEATURES_BITS = 256,
};

enum { PERF_FEATURES_NODES = 1024, PERF_FEATURES_CPUS = 8192 };

struct perf_features_node {
    int id;
    uint64_t mem_bytes, free_bytes;
    const char *cpus;                // list format
};

struct perf_features_cpu {
    int core, package;               // -1: offline
};

// Which blocks of physical memory a node has.
struct perf_features_memory {
    int node;
    uint64_t blocks;                 // bits of the set
    const char *set;                 // 64-bit words, in the byte order of the file
};

// Texts point into copies; NULL: the file does not have them.
struct perf_features {
    struct perf_features_copy *copies; // of sections
    size_t copied;                   // bytes of them
    bool is_swapped;
    bool is_compressed;              // some records are
    const char *host, *kernel, *perf, *arch, *cpu_name, *cpu_id;
    const char **command;            // perf's own, command_count words
    const char **event_names;        // by the order of events
    size_t command_count, event_count;
    struct perf_features_node *nodes;
    size_t node_count;
    struct perf_features_cpu *cpus;  // by number
    size_t cpu_count;
    struct perf_features_memory *memory;
    size_t memory_count;
    struct table node_of_block;      // of a machine's snapshot, where the file does not tell
    uint64_t block_bytes;            // of physical memory
    uint64_t first_time, last_time;  // of samples, by the clock of the records; 0: not told
    uint64_t wall_ns, wall_time;     // time of day, in ns since 1970, when that clock stood at wall_time
    time_t captured;                 // when the recording ended, as a text tells; 0: not told
    const char *build_ids, *build_ids_end; // build_id_event records
};

// Copies and takes one section of the file. Damaged parts, and sections beyond 64 MiB in all, are left out. -ENOMEM.
int perf_features_take(struct perf_features *features, unsigned bit, const char *section, size_t bytes);
void perf_features_free(struct perf_features *features);

// A copy of the bytes, valid until perf_features_free: the owner of a file may change it after a text in it was
// checked. NULL: no memory.
const char *perf_features_keep(struct perf_features *features, const char *at, size_t bytes);

// The node of a physical address; -1: not known.
int perf_features_node_of(const struct perf_features *features, uint64_t physical);

#endif
