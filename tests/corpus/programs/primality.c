// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: candidate (posix_memalign, 24 MiB) is written by main, but each number is loaded only once, by a taskloop task that then computes about 40 to 150 modular products on it in registers: compute-bound, nothing to gain
// fix: none
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Count probable primes among candidates (strong pseudoprime tests, 32 bits). */

#define COUNT (3u << 20)
#define BLOCK 2048u

static inline uint64_t mulmod(uint64_t a, uint64_t b, uint64_t n)
{
    return a * b % n;
}

static uint64_t powmod(uint64_t base, uint64_t e, uint64_t n)
{
    uint64_t r = 1;
    for (base %= n; e; e >>= 1) {
        if (e & 1)
            r = mulmod(r, base, n);
        base = mulmod(base, base, n);
    }
    return r;
}

static int strong_test(uint64_t n, uint64_t a)
{
    uint64_t d = n - 1;
    int s = 0;
    while (!(d & 1)) {
        d >>= 1;
        s++;
    }
    uint64_t x = powmod(a, d, n);
    if (x == 1 || x == n - 1)
        return 1;
    while (--s > 0) {
        x = mulmod(x, x, n);
        if (x == n - 1)
            return 1;
    }
    return 0;
}

static int is_prime(uint64_t n)
{
    static const uint64_t witness[] = {2, 7, 61};
    for (int i = 0; i < 3; i++)
        if (n != witness[i] && !strong_test(n, witness[i]))
            return 0;
    return 1;
}

static uint64_t *draw_candidates(void)
{
    void *p;
    if (posix_memalign(&p, 64, COUNT * sizeof(uint64_t))) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    uint64_t *c = p, s = 0x9e3779b97f4a7c15ull;
    for (uint32_t i = 0; i < COUNT; i++) {
        s ^= s << 7;
        s ^= s >> 9;
        c[i] = (s >> 32) | 0x40000001u;
    }
    return c;
}

int main(void)
{
    uint64_t *candidate = draw_candidates();
    uint64_t primes = 0, residues = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) reduction(+ : primes, residues)
    for (uint32_t b = 0; b < COUNT / BLOCK; b++)
        for (uint32_t i = b * BLOCK; i < (b + 1) * BLOCK; i++)
            if (is_prime(candidate[i])) {
                primes++;
                residues += candidate[i] % 30;
            }

    printf("%" PRIu64 " probable primes of %u, residues %" PRIu64 "\n", primes, COUNT, residues);
    free(candidate);
    return 0;
}
