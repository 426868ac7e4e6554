/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEA_H
#define TEA_H
#include <stddef.h>

#define HALO 2
#define FIELD(f, j, k) ((f)[(size_t)(k) * (size_t)tea.x + (size_t)(j)])

struct tea_grid {
    int x, y;
    double *density, *energy, *u, *u0, *p, *r, *w, *kx, *ky;
};

extern struct tea_grid tea;

void tea_kernel_init(void);
double tea_kernel_w(void);
double tea_kernel_ur(double alpha);
void tea_kernel_p(double beta);

#endif
