// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: global 4-d arrays, set by a serial routine from its exact solution; one parallel region per step with loops that do not wait
// fix: parts
#include <stdio.h>

#include <math.h>

#define KMAX 40
#define JMAX 36
#define IMAX 37

double u[KMAX][JMAX + 1][IMAX + 1][5];
double rhs[KMAX][JMAX + 1][IMAX + 1][5];
double forcing[KMAX][JMAX + 1][IMAX + 1][5];
double speed[KMAX][JMAX + 1][IMAX + 1], qs[KMAX][JMAX + 1][IMAX + 1];

static void exact_solution(double xi, double eta, double zeta, double dtemp[5])
{
    for (int m = 0; m < 5; m++)
        dtemp[m] = 1.0 + m + xi * (0.5 + xi * eta) + zeta * 0.25;
}

static void initialize(void)
{
    double temp[5];
    for (int k = 0; k < KMAX; k++)
        for (int j = 0; j < JMAX; j++)
            for (int i = 0; i < IMAX; i++) {
                exact_solution((double)i / IMAX, (double)j / JMAX, (double)k / KMAX, temp);
                for (int m = 0; m < 5; m++)
                    u[k][j][i][m] = temp[m];
            }
}

static void exact_rhs(void)
{
    for (int k = 0; k < KMAX; k++)
        for (int j = 0; j < JMAX; j++)
            for (int i = 0; i < IMAX; i++)
                for (int m = 0; m < 5; m++)
                    forcing[k][j][i][m] = 0.001 * ((i + j + k + m) % 11);
}

static void compute_rhs(void)
{
    int i, j, k, m;
#pragma omp parallel default(shared) private(i, j, k, m)
    {
#pragma omp for schedule(static) nowait
        for (k = 0; k < KMAX; k++)
            for (j = 0; j < JMAX; j++)
                for (i = 0; i < IMAX; i++) {
                    double inverse = 1.0 / u[k][j][i][0];
                    qs[k][j][i] = 0.5 * u[k][j][i][1] * u[k][j][i][1] * inverse;
                    speed[k][j][i] = sqrt(0.56 * inverse * (u[k][j][i][4] + 3 - qs[k][j][i] * 0.01));
                }
#pragma omp for schedule(static)
        for (k = 0; k < KMAX; k++)
            for (j = 0; j < JMAX; j++)
                for (i = 0; i < IMAX; i++)
                    for (m = 0; m < 5; m++)
                        rhs[k][j][i][m] = forcing[k][j][i][m];
#pragma omp for schedule(static) nowait
        for (k = 1; k < KMAX - 1; k++)
            for (j = 1; j < JMAX - 1; j++)
                for (i = 1; i < IMAX - 1; i++)
                    for (m = 0; m < 5; m++)
                        rhs[k][j][i][m] += 0.01 * (u[k + 1][j][i][m] - 2.0 * u[k][j][i][m] + u[k - 1][j][i][m]) +
                                           0.001 * speed[k][j][i] * qs[k][j][i];
    }
}

static void add(void)
{
    int i, j, k, m;
#pragma omp parallel for default(shared) private(i, j, k, m) schedule(static)
    for (k = 1; k < KMAX - 1; k++)
        for (j = 1; j < JMAX - 1; j++)
            for (i = 1; i < IMAX - 1; i++)
                for (m = 0; m < 5; m++)
                    u[k][j][i][m] += 0.1 * rhs[k][j][i][m];
}

static void adi(void)
{
    compute_rhs();
    add();
}

int main(void)
{
    exact_rhs();
    initialize();
    for (int step = 1; step <= 8; step++)
        adi();
    printf("%.12f\n", u[20][10][9][3]);
}
