// SPDX-License-Identifier: Apache-2.0
// The loops without vectors, for CPUs that have none of the others; their stores cannot bypass the caches.
#include <stdint.h>

#define SET kernels_c
#define TITLE "C"
#define TARGET
#define VECTOR uint64_t
#define ZERO() 0
#define SPREAD(word) (word)
#define LOAD(p) (*(const volatile uint64_t *)(p))
#define STORE(p, v) (*(volatile uint64_t *)(p) = (v))
#define STREAM(p, v) STORE(p, v)
#define ADD(a, b) ((a) + (b))
#define FENCE() BARRIER()
#include "profiler/measure/kernels/kernels_loops.h"

uint64_t kernels_stride_write(const struct kernels_block *block)
{
    char *end = (char *)block->to + block->bytes;
    for (char *p = block->to; p < end; p += KERNELS_LINE)
        *(volatile uint32_t *)p = (uint32_t)block->value;
    return 0;
}
