// SPDX-License-Identifier: Apache-2.0
// The access patterns as loops over a chunk of memory. A chunk has one block of 256 bytes for each accessed line, so
// that hardware which completes pairs of lines (128 bytes) never brings a line that another access of the loop wants. A
// linear congruential generator gives the random order, so that stores and prefetches need no loads first.
#ifndef PROFILER_VERIFY_VERIFY_ACCESS_H
#define PROFILER_VERIFY_VERIFY_ACCESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// Lines of verify_access_cached. Few: a neighbour that fills an inclusive shared cache evicts all of them each time.
enum { VERIFY_ACCESS_BLOCK = 256, VERIFY_ACCESS_CACHED_LINES = 16 };

struct verify_access {
    char *chunk;           // lines * VERIFY_ACCESS_BLOCK bytes
    size_t lines;          // a power of two
    size_t chunks;         // chunks that verify_access_random walks, one after the other
    atomic_bool *begun;       // verify_access_cached sets it ...
    const atomic_bool *until; // ... and goes on until this is set; NULL: for `lines` loads
};
typedef void verify_access_run(const struct verify_access *access);

// Links the blocks in random order, for verify_access_random.
void verify_access_link(char *chunk, size_t lines);

// One load of each block's first line; each load depends on the previous one.
verify_access_run verify_access_random;
// One load of each of the first `lines` lines of the chunk, in order.
verify_access_run verify_access_stream;
// One store to each block's first line, in random order; leaves the links as they are.
verify_access_run verify_access_stores;
// The stream, random loads and random stores, mostly of lines that the other two do not access.
verify_access_run verify_access_mixed;
// Loads of VERIFY_ACCESS_CACHED_LINES lines, again and again.
verify_access_run verify_access_cached;
// One prefetch instruction for each block's first line, in random order.
verify_access_run verify_access_software;

// Modifies the lines that the loops use, and the other line of each pair; leaves the links as they are.
verify_access_run verify_access_modify_blocks, verify_access_modify_stream;

// Removes the bytes from all caches of the machine. -ENOTSUP: this architecture has no instruction for it.
int verify_access_flush(const char *from, size_t bytes);
// Reads every third line, which is no stream, so that the caches of this CPU hold little else.
void verify_access_sweep(const char *junk, size_t bytes);

#endif
