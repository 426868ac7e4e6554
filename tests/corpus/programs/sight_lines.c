// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, sixteenth
// truth: one thread makes the whole height map (16 MiB) by midpoint displacement; afterwards tasks of all eight threads follow lines of sight between random places all over it, half of the reads remote
// fix: spread
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Which units of a strategy game see each other over the hills. */

#define EDGE 2049
#define UNITS 3000 // GROUP to a task
#define TURNS 12
#define GROUP 25

struct world {
    float *height;
    struct unit {
        int x, y;
        unsigned seen;
    } unit[UNITS];
    uint32_t state;
};

static inline float noise(struct world *w)
{
    w->state = w->state * 1664525u + 1013904223u;
    return (float)(w->state >> 9) / 8388608.0f - 0.5f;
}

#define H(w, x, y) ((w)->height[(size_t)(y) * EDGE + (x)])

static void raise_land(struct world *w)
{
    int last = EDGE - 1;
    H(w, 0, 0) = H(w, last, 0) = H(w, 0, last) = H(w, last, last) = 40.0f;
    float rough = 300.0f;
    for (int step = last; step > 1; step /= 2, rough *= 0.52f) {
        int half = step / 2;
        for (int y = half; y < EDGE; y += step)
            for (int x = half; x < EDGE; x += step)
                H(w, x, y) = (H(w, x - half, y - half) + H(w, x + half, y - half) + H(w, x - half, y + half) +
                              H(w, x + half, y + half)) / 4 + rough * noise(w);
        for (int y = 0; y < EDGE; y += half)
            for (int x = (y / half) % 2 ? 0 : half; x < EDGE; x += step) {
                float sum = 0;
                int n = 0;
                if (x >= half) sum += H(w, x - half, y), n++;
                if (x + half < EDGE) sum += H(w, x + half, y), n++;
                if (y >= half) sum += H(w, x, y - half), n++;
                if (y + half < EDGE) sum += H(w, x, y + half), n++;
                H(w, x, y) = sum / n + rough * noise(w);
            }
    }
}

static int visible(const struct world *w, const struct unit *a, const struct unit *b)
{
    int dx = b->x - a->x, dy = b->y - a->y;
    int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    if (steps == 0)
        return 1;
    float eye = H(w, a->x, a->y) + 15.0f, slope = (H(w, b->x, b->y) + 15.0f - eye) / steps;
    int64_t px = (int64_t)a->x << 20, py = (int64_t)a->y << 20;
    int64_t sx = ((int64_t)dx << 20) / steps, sy = ((int64_t)dy << 20) / steps;
    for (int i = 1; i < steps; i++) {
        px += sx, py += sy;
        if (H(w, px >> 20, py >> 20) > eye + slope * i)
            return 0;
    }
    return 1;
}

static void look(struct world *w, int first, int turn)
{
    for (int u = first; u < first + GROUP; u++)
        for (int k = 1; k <= 4; k++)
            w->unit[u].seen += visible(w, &w->unit[u], &w->unit[(u * 7 + k * 611 + turn * 97) % UNITS]);
}

int main(void)
{
    struct world *w = malloc(sizeof *w);
    if (!w || !(w->height = malloc(sizeof(float) * EDGE * EDGE)))
        return 1;
    w->state = 4711;
    raise_land(w);
    for (int u = 0; u < UNITS; u++) {
        w->unit[u].x = (int)((noise(w) + 0.5f) * (EDGE - 1));
        w->unit[u].y = (int)((noise(w) + 0.5f) * (EDGE - 1));
        w->unit[u].seen = 0;
    }
#pragma omp parallel
#pragma omp single
    for (int turn = 0; turn < TURNS; turn++) {
        for (int first = 0; first < UNITS; first += GROUP)
#pragma omp task firstprivate(first, turn)
            look(w, first, turn);
#pragma omp taskwait
    }
    unsigned long total = 0, weighted = 0;
    for (int u = 0; u < UNITS; u++) {
        total += w->unit[u].seen;
        weighted += (unsigned long)w->unit[u].seen * (u + 1);
    }
    printf("%lu sightings, %lu\n", total, weighted);
    free(w->height);
    free(w);
}
