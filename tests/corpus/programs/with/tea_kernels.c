/* SPDX-License-Identifier: Apache-2.0 */
#include "tea.h"

static inline double smvp(const double *a, int j, int k)
{
    const double *kx = tea.kx, *ky = tea.ky;
    return (1.0 + FIELD(kx, j + 1, k) + FIELD(kx, j, k) + FIELD(ky, j, k + 1) + FIELD(ky, j, k)) * FIELD(a, j, k)
        - (FIELD(kx, j + 1, k) * FIELD(a, j + 1, k) + FIELD(kx, j, k) * FIELD(a, j - 1, k))
        - (FIELD(ky, j, k + 1) * FIELD(a, j, k + 1) + FIELD(ky, j, k) * FIELD(a, j, k - 1));
}

void tea_kernel_init(void)
{
#pragma omp parallel for
    for (int k = HALO; k < tea.y - HALO; k++)
        for (int j = HALO; j < tea.x - HALO; j++) {
            FIELD(tea.u0, j, k) = FIELD(tea.u, j, k) = FIELD(tea.energy, j, k) * FIELD(tea.density, j, k);
            FIELD(tea.kx, j, k) = 0.1 / FIELD(tea.density, j, k);
            FIELD(tea.ky, j, k) = 0.1 / FIELD(tea.density, j, k);
        }
#pragma omp parallel for
    for (int k = HALO; k < tea.y - HALO; k++)
        for (int j = HALO; j < tea.x - HALO; j++) {
            FIELD(tea.w, j, k) = smvp(tea.u, j, k);
            FIELD(tea.r, j, k) = FIELD(tea.u, j, k) - FIELD(tea.w, j, k);
            FIELD(tea.p, j, k) = FIELD(tea.r, j, k);
        }
}

double tea_kernel_w(void)
{
    double pw = 0;
#pragma omp parallel for reduction(+ : pw)
    for (int k = HALO; k < tea.y - HALO; k++)
        for (int j = HALO; j < tea.x - HALO; j++) {
            FIELD(tea.w, j, k) = smvp(tea.p, j, k);
            pw += FIELD(tea.w, j, k) * FIELD(tea.p, j, k);
        }
    return pw;
}

double tea_kernel_ur(double alpha)
{
    double rr = 0;
#pragma omp parallel for reduction(+ : rr)
    for (int k = HALO; k < tea.y - HALO; k++)
        for (int j = HALO; j < tea.x - HALO; j++) {
            FIELD(tea.u, j, k) += alpha * FIELD(tea.p, j, k);
            FIELD(tea.r, j, k) -= alpha * FIELD(tea.w, j, k);
            rr += FIELD(tea.r, j, k) * FIELD(tea.r, j, k);
        }
    return rr;
}

void tea_kernel_p(double beta)
{
#pragma omp parallel for
    for (int k = HALO; k < tea.y - HALO; k++)
        for (int j = HALO; j < tea.x - HALO; j++)
            FIELD(tea.p, j, k) = beta * FIELD(tea.p, j, k) + FIELD(tea.r, j, k);
}
