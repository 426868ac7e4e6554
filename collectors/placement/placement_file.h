// SPDX-License-Identifier: Apache-2.0
// The placement file: which allocations of a program go to which nodes (docs/trying-a-fix.md describes the format).
// The preload library reads the file inside the target, before the first large allocation: nothing here allocates
// memory, depends on the locale or keeps state.
#ifndef COLLECTORS_PLACEMENT_PLACEMENT_FILE_H
#define COLLECTORS_PLACEMENT_PLACEMENT_FILE_H

#include <stddef.h>
#include <stdint.h>

#define PLACEMENT_ENVIRONMENT "NUMAPROF_PLACE"         // absolute path of the placement file
#define PLACEMENT_COUNTS_ENVIRONMENT "NUMAPROF_PLACE_COUNTS" // path of the shared placement_counts; unset: nobody asks

enum {
    PLACEMENT_VERSION = 1,
    PLACEMENT_NODES = 1024,          // the kernel's largest MAX_NUMNODES (CONFIG_NODES_SHIFT=10)
    PLACEMENT_BUILD_ID = 32,         // bytes; linkers write 16 or 20
    PLACEMENT_MODULES = 256,
    PLACEMENT_SUBJECTS = 256,
    PLACEMENT_DEPTH = 32,            // frames of one call stack
    PLACEMENT_FRAMES = 4096,         // of all subjects
    PLACEMENT_PLACES = 4096,
    PLACEMENT_PIECES = 32768,
    PLACEMENT_FILE_BYTES = 4 << 20,
    PLACEMENT_CPUS = 1024,
};

enum placement_kind { PLACEMENT_ALLOCATION, PLACEMENT_MAPPING, PLACEMENT_STATIC };
enum placement_mode { PLACEMENT_BLOCKS, PLACEMENT_INTERLEAVE, PLACEMENT_WEIGHTED };

#define PLACEMENT_ANY_ORDINAL UINT32_MAX

struct placement_module {
    uint8_t build_id[PLACEMENT_BUILD_ID];
    uint8_t length;
};

struct placement_frame {
    uint32_t module;                 // index into modules
    uint64_t offset;                 // in the module's file, inside the call instruction (return address - 1)
};

struct placement_piece {
    uint32_t node;
    double end;                      // blocks: where the piece ends, as a fraction of the allocation; else unused
};

struct placement_place {
    uint32_t ordinal;                // from 0 among the subject's allocations of one thread, or PLACEMENT_ANY_ORDINAL
    enum placement_mode mode;
    uint32_t first_piece, piece_count;
};

// What is placed: the allocations of one call stack and range of sizes, or one static variable.
struct placement_subject {
    enum placement_kind kind;
    uint32_t line;                   // of the file, for messages
    uint64_t bytes_min, bytes_max;   // allocation, mapping: sizes that belong to the subject
    uint32_t first_frame, frame_count; // innermost first; callers beyond the last frame are not compared
    uint32_t module;                 // static: index into modules ...
    uint64_t offset, bytes;          // ... address in the module's own numbering (ELF vaddr), and size
    uint32_t first_place, place_count;
};

struct placement {
    uint32_t module_count, subject_count, frame_count, place_count, piece_count, cpu_count, thread_count;
    struct placement_module modules[PLACEMENT_MODULES];
    struct placement_subject subjects[PLACEMENT_SUBJECTS];
    struct placement_frame frames[PLACEMENT_FRAMES];
    struct placement_place places[PLACEMENT_PLACES];
    struct placement_piece pieces[PLACEMENT_PIECES];
    uint32_t cpus[PLACEMENT_CPUS];   // CPUs in the order threads take them; cpu_count 0: threads are not pinned
    uint32_t threads[PLACEMENT_CPUS]; // CPU of each of the first threads, in the order of their creation, main first
};

struct placement_error {
    uint32_t line;                   // from 1; 0: the file as a whole
    const char *cause;               // static text
};

// Reads `length` bytes of text into *placement. Returns 0, or -EINVAL with *error filled and *placement empty.
int placement_parse(struct placement *placement, const char *text, size_t length, struct placement_error *error);

// The place for the allocation with this ordinal; NULL: none.
const struct placement_place *placement_find_place(const struct placement *placement,
                                                   const struct placement_subject *subject, uint32_t ordinal);

// Where a piece of an allocation at `start` of `bytes` bytes ends: an address, rounded to the nearest multiple of
// `unit` (a power of two) within the allocation. The last piece ends with the allocation.
uint64_t placement_border(const struct placement *placement, const struct placement_place *place, uint64_t start,
                          uint64_t bytes, uint64_t unit, uint32_t piece);

#endif
