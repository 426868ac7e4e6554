// SPDX-License-Identifier: Apache-2.0
// Numbers by chance, the same ones for the same seed (xorshift64: Marsaglia, "Xorshift RNGs", 2003).
#ifndef TESTS_TARGETS_CHANCE_H
#define TESTS_TARGETS_CHANCE_H

#include <stdint.h>

static uint64_t state; // the seed, not 0

static uint64_t chance(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

#endif
