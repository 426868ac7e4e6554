// SPDX-License-Identifier: Apache-2.0
// The access patterns as loops over a chunk of memory. A chunk has one block of 256 bytes for each line that is used:
// hardware that completes pairs of lines (128 bytes) then never brings a line that another access of the loop wants.
// Random order is that of a linear congruential generator, so that stores and prefetches need no loads to find their
// way.
#ifndef PROFILER_VERIFY_VERIFY_ACCESS_H
#define PROFILER_VERIFY_VERIFY_ACCESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// Few lines stay in the cache: each time that a neighbour fills an inclusive shared cache, all of them are thrown out.
enum { VERIFY_ACCESS_BLOCK = 256, VERIFY_ACCESS_CACHED_LINES = 16 };

struct verify_access {
    char *chunk;           // lines * VERIFY_ACCESS_BLOCK bytes
    size_t lines;          // a power of two
    size_t chunks;         // verify_access_random goes through so many, one behind the other
    atomic_bool *begun;       // verify_access_cached sets it ...
    const atomic_bool *until; // ... and goes on until this is set; NULL: for `lines` loads
};
typedef void verify_access_run(const struct verify_access *access);

// Links the blocks in random order, for verify_access_random.
void verify_access_link(char *chunk, size_t lines);

// One load each of all blocks' first lines, each of which waits for the one before.
verify_access_run verify_access_random;
// One load of each of the first `lines` lines of the chunk, in order.
verify_access_run verify_access_stream;
// One store to each block's first line, in random order; leaves the links as they are.
verify_access_run verify_access_stores;
// All three, each with lines that the others leave alone: some of the stream's, three quarters of the others'.
verify_access_run verify_access_mixed;
// Loads of a few lines, which have been read before.
verify_access_run verify_access_cached;
// One prefetch instruction for each block's first line, in random order.
verify_access_run verify_access_software;

// Modifies the lines that the loops use, and the other line of each pair; leaves the links as they are.
verify_access_run verify_access_modify_blocks, verify_access_modify_stream;

// No cache of the machine holds a line of the chunks. -ENOTSUP: this architecture has no instruction for it.
int verify_access_flush(const char *from, size_t bytes);
// Reads so much memory that the caches of this CPU hold little else: every third line, which is no stream.
void verify_access_sweep(const char *junk, size_t bytes);

#endif
