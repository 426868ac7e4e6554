// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: conjugate gradients on a static sparse matrix that one thread makes; rows divided, vectors set in parallel
// fix: parts
#include <math.h>
#include <stdio.h>

#define ROWS 24000
#define PER_ROW 16
static int colidx[ROWS * PER_ROW], rowstr[ROWS + 1];
static double a[ROWS * PER_ROW], x[ROWS], z[ROWS], p[ROWS], q[ROWS], r[ROWS];

static void makea(void)
{
    unsigned seed = 314159;
    int k = 0;
    for (int i = 0; i < ROWS; i++) {
        rowstr[i] = k;
        for (int e = 0; e < PER_ROW; e++) {
            seed = seed * 1103515245u + 12345u;
            int near = i - 64 + (int)(seed >> 25);
            colidx[k] = e == 0 ? i : near < 0 ? 0 : near >= ROWS ? ROWS - 1 : near;
            a[k++] = e == 0 ? 40 : 1.0 / (1 + e);
        }
    }
    rowstr[ROWS] = k;
}

static double conj_grad(void)
{
    double rho = 0;
#pragma omp parallel for reduction(+ : rho)
    for (int j = 0; j < ROWS; j++) {
        q[j] = z[j] = 0;
        r[j] = p[j] = x[j];
        rho += r[j] * r[j];
    }
    for (int it = 0; it < 12; it++) {
        double d = 0, rho0 = rho, alpha, beta;
#pragma omp parallel for
        for (int j = 0; j < ROWS; j++) {
            double sum = 0;
            for (int k = rowstr[j]; k < rowstr[j + 1]; k++)
                sum += a[k] * p[colidx[k]];
            q[j] = sum;
        }
#pragma omp parallel for reduction(+ : d)
        for (int j = 0; j < ROWS; j++)
            d += p[j] * q[j];
        alpha = rho0 / d;
        rho = 0;
#pragma omp parallel for reduction(+ : rho)
        for (int j = 0; j < ROWS; j++) {
            z[j] += alpha * p[j];
            r[j] -= alpha * q[j];
            rho += r[j] * r[j];
        }
        beta = rho / rho0;
#pragma omp parallel for
        for (int j = 0; j < ROWS; j++)
            p[j] = r[j] + beta * p[j];
    }
    return rho;
}

int main(void)
{
    makea();
#pragma omp parallel for
    for (int j = 0; j < ROWS; j++)
        x[j] = 1;
    double rho = conj_grad();
    rho += conj_grad();
    printf("%d\n", rho < 1);
}
