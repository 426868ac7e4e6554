// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// with: tea.h tea_kernels.c
// truth: TeaLeaf: nine fields by a helper whose malloc and zeros GCC makes one calloc, so that the kernels of another file touch them first
// fix: none
#include "tea.h"

#include <stdio.h>
#include <stdlib.h>

struct tea_grid tea;

static void allocate_buffer(double **a, int x, int y)
{
    *a = (double *)malloc(sizeof(double) * x * y);
    if (*a == NULL) {
        fprintf(stderr, "error allocating buffer\n");
        exit(1);
    }
    for (int jj = 0; jj < y; ++jj)
        for (int kk = 0; kk < x; ++kk)
            (*a)[kk + x * jj] = 0.0;
}

static void set_chunk_state(void)
{
    for (int k = 0; k < tea.y; k++)
        for (int j = 0; j < tea.x; j++) {
            int inside = j > 40 && j < 200 && k > 100;
            FIELD(tea.density, j, k) = inside ? 0.1 : 100.0;
            FIELD(tea.energy, j, k) = (inside ? 0.1 : 0.0001) * (1 + (j * k) % 3);
        }
}

int main(void)
{
    tea.x = 300;
    tea.y = 304;
    double **fields[] = { &tea.density, &tea.energy, &tea.u, &tea.u0, &tea.p, &tea.r, &tea.w, &tea.kx, &tea.ky };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        allocate_buffer(fields[f], tea.x, tea.y);
    set_chunk_state();
    tea_kernel_init();
    double rro = 1;
    for (int step = 0; step < 14; step++) {
        double pw = tea_kernel_w();
        double rr = tea_kernel_ur(1e-3 / (1 + pw * 1e-9));
        tea_kernel_p(rr / (rr + rro));
        rro = rr;
    }
    printf("%.6e %.6e\n", FIELD(tea.u, 50, 150), FIELD(tea.r, 150, 200));
    return 0;
}
