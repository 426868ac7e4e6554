// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>

#define SET kernels_sse2
#define TITLE "SSE2"
#define TARGET
#define VECTOR __m128i
#define ZERO() _mm_setzero_si128()
#define SPREAD(word) _mm_set1_epi64x((long long)(word))
#define LOAD(p) _mm_load_si128(p)
#define STORE(p, v) _mm_store_si128(p, v)
#define STREAM(p, v) _mm_stream_si128(p, v)
#define ADD(a, b) _mm_add_epi64(a, b)
#define FENCE() _mm_sfence()
#include "profiler/measure/kernels/kernels_loops.h"
#endif
