// SPDX-License-Identifier: Apache-2.0
// truth: array of structures, read from a generator by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

struct particle {
    double x, v, m;
    int kind;
};
int main(void)
{
    size_t count = 130000;
    struct particle *p = malloc(count * sizeof *p);
    double energy = 0;
    for (size_t i = 0; i < count; i++)
        p[i] = (struct particle){.x = (double)i, .v = 1, .m = 2, .kind = (int)(i % 3)};
    for (int step = 0; step < 20; step++) {
#pragma omp parallel for schedule(static) reduction(+ : energy)
        for (size_t i = 0; i < count; i++) {
            p[i].x += 0.1 * p[i].v;
            energy += p[i].m * p[i].v * p[i].v;
        }
    }
    printf("%.1f %.3f\n", energy, p[7].x);
}
