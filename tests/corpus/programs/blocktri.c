// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: block-tridiagonal systems that main reads in; each thread solves its lines, its scratch is its own
// fix: parts
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double a, b, c, d; /* a b over c d */
} mat2;

typedef struct {
    double x, y;
} vec2;

typedef struct {
    long lines, cells;
    mat2 *lower, *diagonal, *upper; /* coefficients, constant */
    mat2 *eliminated;               /* scratch of the forward sweep */
    vec2 *rhs, *solution;
} adi_system;

static void *xaligned(size_t count, size_t size)
{
    void *block = aligned_alloc(64, (count * size + 63) / 64 * 64);
    if (!block) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

static adi_system read_system(long lines, long cells)
{
    size_t n = lines * cells;
    adi_system s = {.lines = lines, .cells = cells};
    s.lower = xaligned(n, sizeof(mat2));
    s.diagonal = xaligned(n, sizeof(mat2));
    s.upper = xaligned(n, sizeof(mat2));
    s.eliminated = xaligned(n, sizeof(mat2));
    s.rhs = xaligned(n, sizeof(vec2));
    s.solution = xaligned(n, sizeof(vec2));
    for (size_t i = 0; i < n; i++) {
        double f = (double)(i % 19) / 19.0;
        s.lower[i] = (mat2){-1, 0.1 * f, 0.2 * f, -1};
        s.diagonal[i] = (mat2){4 + f, 0.5, 0.25, 5 - f};
        s.upper[i] = (mat2){-1, 0.3 * f, 0.1, -1};
        s.rhs[i] = (vec2){1 + f, 2 - f};
    }
    return s;
}

static inline mat2 times(mat2 p, mat2 q)
{
    return (mat2){p.a * q.a + p.b * q.c, p.a * q.b + p.b * q.d, p.c * q.a + p.d * q.c, p.c * q.b + p.d * q.d};
}

static inline vec2 apply(mat2 m, vec2 v)
{
    return (vec2){m.a * v.x + m.b * v.y, m.c * v.x + m.d * v.y};
}

static inline mat2 inverse(mat2 m)
{
    double r = 1.0 / (m.a * m.d - m.b * m.c);
    return (mat2){m.d * r, -m.b * r, -m.c * r, m.a * r};
}

static void solve_line(adi_system *s, long line)
{
    long first = line * s->cells, last = first + s->cells - 1;
    mat2 lead = {0, 0, 0, 0};
    vec2 done = {0, 0};
    for (long i = first; i <= last; i++) {
        mat2 fill = times(s->lower[i], lead), d = s->diagonal[i];
        mat2 inv = inverse((mat2){d.a - fill.a, d.b - fill.b, d.c - fill.c, d.d - fill.d});
        vec2 carried = apply(s->lower[i], done);
        lead = s->eliminated[i] = times(inv, s->upper[i]);
        done = s->solution[i] = apply(inv, (vec2){s->rhs[i].x - carried.x, s->rhs[i].y - carried.y});
    }
    for (long i = last; i >= first; i--) {
        if (i < last) {
            vec2 carried = apply(s->eliminated[i], s->solution[i + 1]);
            s->solution[i].x -= carried.x;
            s->solution[i].y -= carried.y;
        }
        s->rhs[i].x = 1 + 0.5 * s->solution[i].x;
        s->rhs[i].y = 2 - 0.5 * s->solution[i].y;
    }
}

int main(void)
{
    adi_system s = read_system(600, 128);
#pragma omp parallel
    {
        long me = omp_get_thread_num(), all = omp_get_num_threads();
        for (int step = 0; step < 7; step++)
            for (long line = s.lines * me / all; line < s.lines * (me + 1) / all; line++)
                solve_line(&s, line);
    }
    printf("%.8f %.8f\n", s.solution[77].x, s.solution[s.lines * s.cells - 5].y);
    return 0;
}
