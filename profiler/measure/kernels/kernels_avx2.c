// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>

#define SET kernels_avx2
#define TITLE "AVX2"
#define TARGET __attribute__((target("avx2")))
#define VECTOR __m256i
#define ZERO() _mm256_setzero_si256()
#define SPREAD(word) _mm256_set1_epi64x((long long)(word))
#define LOAD(p) _mm256_load_si256(p)
#define STORE(p, v) _mm256_store_si256(p, v)
#define STREAM(p, v) _mm256_stream_si256(p, v)
#define ADD(a, b) _mm256_add_epi64(a, b)
#define FENCE() _mm_sfence()
#include "profiler/measure/kernels/kernels_loops.h"
#endif
