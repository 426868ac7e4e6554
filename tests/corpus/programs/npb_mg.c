// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: two levels of a multigrid as pointers to pointers to rows, rows of a few hundred bytes filled by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

static double ***level(int n)
{
    double ***u = malloc(n * sizeof *u);
    for (int k = 0; k < n; k++) {
        u[k] = malloc(n * sizeof **u);
        for (int j = 0; j < n; j++)
            u[k][j] = calloc(n, sizeof ***u);
    }
    return u;
}

static void fill(double ***u, int n)
{
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                u[k][j][i] = (i * 7 + j * 5 + k * 3) % 11;
}

static void smooth(double ***to, double ***from, int n)
{
#pragma omp parallel for
    for (int k = 1; k < n - 1; k++)
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++)
                to[k][j][i] = 0.5 * from[k][j][i] + 0.125 * (from[k - 1][j][i] + from[k + 1][j][i] + from[k][j - 1][i] +
                                                            from[k][j + 1][i]);
}

static void restrict_to(double ***coarse, int n, double ***fine)
{
#pragma omp parallel for
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                coarse[k][j][i] = fine[2 * k][2 * j][2 * i];
}

int main(void)
{
    int n = 80;
    double ***u = level(n), ***v = level(n), ***c = level(n / 2), ***d = level(n / 2);
    fill(u, n);
    fill(v, n);
    fill(c, n / 2);
    fill(d, n / 2);
    for (int cycle = 0; cycle < 6; cycle++) {
        smooth(v, u, n);
        restrict_to(c, n / 2, v);
        smooth(d, c, n / 2);
        smooth(u, v, n);
    }
    printf("%.6f %.6f\n", u[n / 2][3][4], d[2][3][4]);
}
