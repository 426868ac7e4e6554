// SPDX-License-Identifier: Apache-2.0
// Arm has no intrinsic for the store that bypasses the caches; STNP is its hint for that (Arm ARM, C6.2 "STNP").
#if defined(__aarch64__)
#include <arm_neon.h>

#define SET kernels_neon
#define TITLE "NEON"
#define TARGET
#define VECTOR uint64x2_t
#define ZERO() vdupq_n_u64(0)
#define SPREAD(word) vdupq_n_u64(word)
#define LOAD(p) vld1q_u64((const uint64_t *)(p))
#define STORE(p, v) vst1q_u64((uint64_t *)(p), v)
#define STREAM(p, v)                                                                                                   \
    __asm__ volatile("stnp %d1, %d2, [%0]" ::"r"(p), "w"(v), "w"(vdupq_n_u64(vgetq_lane_u64(v, 1))) : "memory")
#define ADD(a, b) vaddq_u64(a, b)
#define FENCE() __asm__ volatile("dmb ishst" ::: "memory")
#include "profiler/measure/kernels/kernels_loops.h"
#endif
