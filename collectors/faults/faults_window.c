// SPDX-License-Identifier: Apache-2.0
#include "collectors/faults/faults_window.h"

enum { FAULTS_WINDOW_THREADS = 63 };

static const uint64_t faults_window_again = UINT64_C(1) << FAULTS_WINDOW_THREADS;

uint64_t faults_window_add(uint64_t seen, int64_t thread)
{
    uint64_t bit = UINT64_C(1) << ((uint64_t)thread % FAULTS_WINDOW_THREADS);
    return seen | (seen & bit ? faults_window_again : bit);
}

bool faults_window_may_be_one_page(uint64_t seen)
{
    return seen != 0 && !(seen & faults_window_again);
}

unsigned int faults_window_others(uint64_t seen)
{
    unsigned int threads = (unsigned int)__builtin_popcountll(seen & ~faults_window_again);
    return threads > 0 ? threads - 1 : 0;
}
