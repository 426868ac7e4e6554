// SPDX-License-Identifier: Apache-2.0
// The loops that are timed. Each works on one block whose bytes are a multiple of KERNELS_STEP and whose addresses are
// aligned to it, and is called through a table, so that no compiler sees both the loop and the use of its result.
#ifndef PROFILER_MEASURE_KERNELS_KERNELS_H
#define PROFILER_MEASURE_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum {
    KERNELS_STEP = 1024,        // bytes; every unrolled body, four times, divides it
    KERNELS_LINE = 64,          // bytes of a cache line
    KERNELS_AHEAD = 2048,       // bytes by which the prefetched read runs ahead: 100 ns at 20 GB/s
};

enum kernels_op {
    KERNELS_READ,               // returns the sum of all 64-bit words
    KERNELS_READ_PREFETCH,      // the same, with software prefetch ahead
    KERNELS_WRITE,              // every word becomes value
    KERNELS_WRITE_NT,           // the same by stores that bypass the caches
    KERNELS_COPY,               // from -> to
    KERNELS_COPY_NT,
    KERNELS_STRIDE_WRITE,       // 4 bytes of every line become value's low half
    KERNELS_OPS
};

struct kernels_block {
    void *to;
    const void *from;
    size_t bytes;
    uint64_t value;
};
typedef uint64_t kernels_run(const struct kernels_block *block);

// One set of instructions. No entry is NULL.
struct kernels {
    const char *name;           // SSE2, AVX2, AVX-512, NEON, C
    kernels_run *run[KERNELS_OPS];
};

// Returns the widest set that this CPU and its operating system support.
const struct kernels *kernels_best(void);
// Returns the sets that this CPU can run, narrowest first; NULL after the last.
const struct kernels *kernels_usable(size_t index);

uint64_t kernels_stride_write(const struct kernels_block *block); // in plain C, for all sets

extern const struct kernels kernels_c;
#if defined(__x86_64__)
extern const struct kernels kernels_sse2, kernels_avx2, kernels_avx512;
#elif defined(__aarch64__)
extern const struct kernels kernels_neon;
#endif

#endif
