// SPDX-License-Identifier: GPL-2.0-or-later
// Four words at a time: the compiler does not see by itself that a search of a cache's set may be done so.
#ifndef HARDWARE_WIDE_H
#define HARDWARE_WIDE_H

#include <smmintrin.h>
#include <stdint.h>

enum { WIDE_WORDS = 4 };

// The words that are `value` once shifted right: a bit for each. `count`: a multiple of WIDE_WORDS.
static inline unsigned wide_equal(const uint32_t *words, unsigned count, int shift, uint32_t value)
{
    unsigned equal = 0;
    for (unsigned i = 0; i < count; i += WIDE_WORDS) {
        __m128i four = _mm_srli_epi32(_mm_load_si128((const __m128i *)(words + i)), shift);
        four = _mm_cmpeq_epi32(four, _mm_set1_epi32((int)value));
        equal |= (unsigned)_mm_movemask_ps(_mm_castsi128_ps(four)) << i;
    }
    return equal;
}

// The smallest of the words of `used`, each with its number in the low four bits; 0 counts for those whose `cells` is 0.
static inline uint32_t wide_oldest(const uint32_t *cells, const uint32_t *used, unsigned count)
{
    __m128i numbers = _mm_setr_epi32(0, 1, 2, 3), oldest = _mm_set1_epi32(-1);
    for (unsigned i = 0; i < count; i += WIDE_WORDS) {
        __m128i empty = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)(cells + i)), _mm_setzero_si128());
        __m128i four = _mm_andnot_si128(empty, _mm_load_si128((const __m128i *)(used + i)));
        oldest = _mm_min_epu32(oldest, _mm_or_si128(four, numbers));
        numbers = _mm_add_epi32(numbers, _mm_set1_epi32(WIDE_WORDS));
    }
    oldest = _mm_min_epu32(oldest, _mm_shuffle_epi32(oldest, _MM_SHUFFLE(1, 0, 3, 2)));
    oldest = _mm_min_epu32(oldest, _mm_shuffle_epi32(oldest, _MM_SHUFFLE(2, 3, 0, 1)));
    return (uint32_t)_mm_cvtsi128_si32(oldest);
}

#endif
