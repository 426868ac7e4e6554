// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: in one parallel region a single allocates and sets the arrays, then loops that do not wait use them in parts
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct state {
    long cells;
    float *restrict height, *restrict momentum, *restrict bed;
};

static float *claim(long cells)
{
    float *memory = malloc((cells + 2) * sizeof *memory);
    bzero(memory, (cells + 2) * sizeof *memory);
    return memory + 1;
}

static void set_up(struct state *s, long cells)
{
    s->cells = cells;
    s->height = claim(cells);
    s->momentum = claim(cells);
    s->bed = claim(cells);
    for (long i = 0; i < cells; i++) {
        s->height[i] = i < cells / 2 ? 2 : 1;
        s->bed[i] = 0.001f * (i % 100);
    }
}

int main(void)
{
    struct state s;
    const int steps = 12;
#pragma omp parallel
    {
#pragma omp single
        set_up(&s, 500000);
        for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static) nowait
            for (long i = 0; i < s.cells; i++)
                s.momentum[i] += 0.01f * (s.height[i] + s.bed[i]);
#pragma omp barrier
#pragma omp for schedule(static)
            for (long i = 0; i < s.cells; i++)
                s.height[i] -= 0.01f * (s.momentum[i] - s.momentum[i - 1]);
        }
    }
    printf("%.7f %.7f\n", s.height[250001], s.momentum[123456]);
}
