// SPDX-License-Identifier: Apache-2.0
// What a program cost so far, for those that print it themselves.
#ifndef TESTS_BENCH_COST_H
#define TESTS_BENCH_COST_H

#include <sys/resource.h>
#include <time.h>

static inline double cost_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline double cost_cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static inline long cost_peak_kib(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

#endif
