// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: multipole cross sections as in RSBench: poles of nuclides behind row pointers into one block; looked up at random by all
// fix: spread
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double complex ea, rt, ra, rf;
    int l_value;
} Pole;

static Pole **generate_poles(int nuclides, int poles)
{
    Pole **rows = malloc(nuclides * sizeof *rows);
    Pole *contiguous = malloc((size_t)nuclides * poles * sizeof *contiguous);
    for (int n = 0; n < nuclides; n++)
        rows[n] = &contiguous[(size_t)n * poles];
    unsigned state = 4;
    for (int n = 0; n < nuclides; n++)
        for (int p = 0; p < poles; p++) {
            state = state * 1664525u + 1013904223u;
            double r = (state >> 8) / 16777216.0;
            rows[n][p] = (Pole){r, 1 - r, r * r, r / 2 + I, (int)(state >> 28) & 3};
        }
    return rows;
}

int main(void)
{
    int nuclides = 64, poles = 1024, lookups = 40000;
    Pole **table = generate_poles(nuclides, poles);
    double check = 0;
#pragma omp parallel for schedule(dynamic, 100) reduction(+ : check)
    for (int i = 0; i < lookups; i++) {
        uint64_t seed = (uint64_t)i * 6364136223846793005u + 1442695040888963407u;
        double complex sum = 0;
        for (int k = 0; k < 12; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const Pole *pole = &table[seed >> 58][seed >> 30 & 1023];
            sum += pole->ra / (pole->ea + 1) + pole->rt * pole->rf * pole->l_value;
        }
        check += (long)(creal(sum) * 1000) % 97;
    }
    printf("%.0f\n", check);
    free(table[0]);
    free(table);
    return 0;
}
