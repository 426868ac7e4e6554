// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: height, water and the next water are row pointers whose rows main mallocs and sets in one loop; an orphaned collapsed loop gives each thread the same tile (a quarter of the rows, half of the columns) in every step
// fix: parts
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 640, COLUMNS = 1280, DOWN = 4, ACROSS = 2, STEPS = 6 };

struct terrain {
    float **height, **water, **next;
};

static float *new_row(void)
{
    float *row = malloc(COLUMNS * sizeof *row);
    if (!row) {
        perror("malloc");
        exit(1);
    }
    return row;
}

static struct terrain make_terrain(void)
{
    struct terrain t;
    t.height = malloc(ROWS * sizeof *t.height);
    t.water = malloc(ROWS * sizeof *t.water);
    t.next = malloc(ROWS * sizeof *t.next);
    if (!t.height || !t.water || !t.next)
        exit(1);
    unsigned state = 5;
    for (int r = 0; r < ROWS; r++) {
        t.height[r] = new_row();
        t.water[r] = new_row();
        t.next[r] = new_row();
        for (int c = 0; c < COLUMNS; c++) {
            state = state * 1664525u + 1013904223u;
            t.height[r][c] = 40 + (float)((r * 3 + c * 5) % 160) / 4 + (float)(state >> 28) / 16;
            t.water[r][c] = t.next[r][c] = 1;
        }
    }
    return t;
}

static float flow(const struct terrain *t, int r, int c, int r2, int c2)
{
    float difference = t->height[r2][c2] + t->water[r2][c2] - t->height[r][c] - t->water[r][c];
    return difference > 0 ? (difference < t->water[r2][c2] ? difference : t->water[r2][c2])
                          : (-difference < t->water[r][c] ? difference : -t->water[r][c]);
}

static void wet_tile(struct terrain *t, int down, int across)
{
    int first = down * ROWS / DOWN, last = (down + 1) * ROWS / DOWN;
    int left = across * COLUMNS / ACROSS, right = (across + 1) * COLUMNS / ACROSS;
    for (int r = first ? first : 1; r < (last < ROWS ? last : ROWS - 1); r++)
        for (int c = left ? left : 1; c < (right < COLUMNS ? right : COLUMNS - 1); c++)
            t->next[r][c] = t->water[r][c] + 0.2f * (flow(t, r, c, r - 1, c) + flow(t, r, c, r + 1, c) +
                                                     flow(t, r, c, r, c - 1) + flow(t, r, c, r, c + 1));
}

static void step(struct terrain *t)
{
#pragma omp for collapse(2) schedule(static)
    for (int down = 0; down < DOWN; down++)
        for (int across = 0; across < ACROSS; across++)
            wet_tile(t, down, across);
#pragma omp single
    {
        float **swap = t->water;
        t->water = t->next;
        t->next = swap;
    }
}

int main(void)
{
    struct terrain t = make_terrain();
#pragma omp parallel num_threads(8)
    for (int s = 0; s < STEPS; s++)
        step(&t);
    double sum = 0, deepest = 0;
    for (int r = 0; r < ROWS; r += 7)
        for (int c = r % 5; c < COLUMNS; c += 11) {
            sum += t.water[r][c];
            deepest = t.water[r][c] > deepest ? t.water[r][c] : deepest;
        }
    printf("%.6f %.6f\n", sum, deepest);
    for (int r = 0; r < ROWS; r++) {
        free(t.height[r]);
        free(t.water[r]);
        free(t.next[r]);
    }
    free(t.height);
    free(t.water);
    free(t.next);
}
