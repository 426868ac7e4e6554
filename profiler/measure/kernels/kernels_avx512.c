// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>

#define SET kernels_avx512
#define TITLE "AVX-512"
#define TARGET __attribute__((target("avx512f")))
#define VECTOR __m512i
#define ZERO() _mm512_setzero_si512()
#define SPREAD(word) _mm512_set1_epi64((long long)(word))
#define LOAD(p) _mm512_load_si512(p)
#define STORE(p, v) _mm512_store_si512(p, v)
#define STREAM(p, v) _mm512_stream_si512(p, v)
#define ADD(a, b) _mm512_add_epi64(a, b)
#define FENCE() _mm_sfence()
#include "profiler/measure/kernels/kernels_loops.h"
#endif
