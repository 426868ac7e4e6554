// SPDX-License-Identifier: Apache-2.0
#include "stream_like.h"

#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum {
    LINE = 64,
    PIECES = 8,                 // of a slice: those in which the kernel took a CPU away are left out
    WORDS = (32 << 20) / sizeof(uint64_t), // a piece of the loops: some milliseconds
    STEPS = 20000,              // of the chase: the same
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long taken_away(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static uint64_t sum(const uint64_t *a, int threads)
{
    uint64_t total = 0;
#pragma omp parallel for simd reduction(+ : total) num_threads(threads)
    for (size_t i = 0; i < WORDS; i++)
        total += a[i];
    return total;
}

static void copy(uint64_t *restrict to, const uint64_t *restrict from, int threads)
{
#pragma omp parallel for simd num_threads(threads)
    for (size_t i = 0; i < WORDS; i++)
        to[i] = from[i];
}

// glibc's goes past the caches from a size on that bench_measure.py sets (x86_non_temporal_threshold).
static void copy_by_library(uint64_t *to, const uint64_t *from, int threads)
{
    size_t part = WORDS / (size_t)threads;
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < threads; i++)
        memcpy(to + (size_t)i * part, from + (size_t)i * part, part * sizeof *to);
}

// Sattolo's shuffle: one cycle through all lines.
char *stream_like_list(size_t bytes)
{
    size_t n = bytes / LINE;
    char *base = aligned_alloc(2 << 20, bytes);
    uint32_t *order = malloc(n * sizeof *order);
    uint64_t state = 88172645463325252u;
    if (!base || !order)
        exit(2);
    madvise(base, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = n - 1; i > 0; i--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        size_t j = state % i;
        uint32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (size_t i = 0; i < n; i++)
        *(char **)(base + (size_t)order[i] * LINE) = base + (size_t)order[(i + 1) % n] * LINE;
    free(order);
    return base;
}

// Each returns seconds.
static double chase(struct stream_like *s)
{
    char *at = s->line;
    double start = now();
    for (int i = 0; i < STEPS; i++)
        at = *(char *volatile *)at;
    double passed = now() - start;
    s->line = at;
    return passed;
}

static double stream(struct stream_like *s, const char *metric, int threads)
{
    const uint64_t *from = s->from + s->at;
    uint64_t *to = s->to + s->at, right = WORDS * from[0] + (uint64_t)WORDS * (WORDS - 1) / 2, total = right;
    double start = now();
    if (strncmp(metric, "read", 4) == 0)
        total = sum(from, threads);
    else if (strncmp(metric, "copy_nt", 7) == 0)
        copy_by_library(to, from, threads);
    else
        copy(to, from, threads);
    double passed = now() - start;
    if (total != right || (strncmp(metric, "copy", 4) == 0 && to[WORDS - 1] != from[WORDS - 1]))
        exit(3); // also keeps the loops from being optimised away
    s->at = s->at + 2 * WORDS <= s->count ? s->at + WORDS : 0;
    return passed;
}

double stream_like_slice(struct stream_like *s, const char *metric)
{
    static const char *const known[] = {"read", "copy", "copy_nt", "read_all", "copy_all", "copy_nt_all"};
    bool is_chase = strcmp(metric, "latency_random") == 0, is_copy = strncmp(metric, "copy", 4) == 0;
    size_t loop = 0;
    double passed = 0;
    int pieces = 0;
    while (loop < sizeof known / sizeof *known && strcmp(known[loop], metric) != 0)
        loop++;
    if (loop == sizeof known / sizeof *known && !is_chase)
        return -1;
    for (int i = 0; i < PIECES; i++) {
        long before = taken_away();
        double piece = is_chase ? chase(s) : stream(s, metric, loop < 3 ? 1 : omp_get_max_threads());
        pieces += taken_away() == before;
        passed += taken_away() == before ? piece : 0;
    }
    if (pieces == 0)
        return 0;
    return is_chase ? passed / pieces / STEPS * 1e9
                    : pieces * (is_copy ? 2.0 : 1.0) * WORDS * sizeof(uint64_t) / passed / 1e9;
}
