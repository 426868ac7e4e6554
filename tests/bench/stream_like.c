// SPDX-License-Identifier: Apache-2.0
// A second opinion on numaprof topology --measure, written apart from it: STREAM's copy and a sum over arrays of double
// in plain C, memcpy, and a pointer chase over a shuffled list. Prints metrics and values, in GB/s and ns, medians of
// passes.
//
//   stream_like BYTES      of each array
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { PASSES = 5, STEPS = 1 << 20, LINE = 64 };

// This thread's own time: what others take of the CPU is not counted, as numaprof does not count it.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double *array(size_t bytes)
{
    double *made = aligned_alloc(2 << 20, bytes);
    if (!made)
        exit(2);
    madvise(made, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < bytes / sizeof *made; i++)
        made[i] = 1.0;
    return made;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double times[PASSES])
{
    qsort(times, PASSES, sizeof *times, compare);
    return times[PASSES / 2];
}

static double sum(const double *a, size_t n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (size_t i = 0; i < n; i += 8) {
        s0 += a[i];
        s1 += a[i + 1];
        s2 += a[i + 2];
        s3 += a[i + 3];
        s4 += a[i + 4];
        s5 += a[i + 5];
        s6 += a[i + 6];
        s7 += a[i + 7];
    }
    return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
}

static void read_pass(const double *a, size_t n)
{
    double times[PASSES], total = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        double start = now();
        total += sum(a, n);
        times[pass] = now() - start;
    }
    if (total != (double)PASSES * (double)n)
        exit(3);
    printf("read %.4f\n", (double)n * 8 / median(times) / 1e9);
}

static void copy_pass(double *restrict to, const double *restrict from, size_t n)
{
    double times[PASSES];
    for (int pass = 0; pass < PASSES; pass++) {
        double start = now();
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
        times[pass] = now() - start;
        if (to[n - 1] != 1.0)
            exit(3);
    }
    printf("copy %.4f\n", (double)n * 16 / median(times) / 1e9);
}

static void memcpy_pass(double *to, const double *from, size_t n)
{
    double times[PASSES];
    for (int pass = 0; pass < PASSES; pass++) {
        double start = now();
        memcpy(to, from, n * 8);
        times[pass] = now() - start;
        if (to[n - 1] != 1.0)
            exit(3);
    }
    printf("copy_nt %.4f\n", (double)n * 16 / median(times) / 1e9); // glibc goes past the caches with so much
}

// Sattolo's shuffle: one cycle through all lines.
static void chase(size_t bytes, const double *others)
{
    size_t n = bytes / LINE;
    char *base = (char *)array(bytes);
    uint32_t *order = malloc(n * sizeof *order);
    uint64_t state = 88172645463325252u;
    if (!order)
        exit(2);
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
    if (sum(others, bytes / 8) <= 0) // what was just written goes out of the caches
        exit(3);
    double times[PASSES];
    char *at = base;
    for (int pass = 0; pass < PASSES; pass++) {
        double start = now();
        for (int i = 0; i < STEPS; i++)
            at = *(char *volatile *)at;
        times[pass] = now() - start;
    }
    printf("latency_random %.4f\n", median(times) / STEPS * 1e9);
    free(order);
    free(base);
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    if (bytes < 1 << 20)
        return 1;
    double *a = array(bytes), *b = array(bytes);
    read_pass(a, bytes / 8);
    copy_pass(b, a, bytes / 8);
    memcpy_pass(b, a, bytes / 8);
    free(b);
    chase(bytes, a);
    free(a);
    return 0;
}
