// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, seventeenth
// truth: main copies a template of the sky into every row of the plate, adds stars, and copies the plate to the first estimate (6 MiB each); the threads use tiles, four down and two across, of these two for all iterations: threads 4 to 7 work in the lower half, remote (scratch planes ratio and blurred are written first by the tiles' own threads)
// fix: parts
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Richardson-Lucy deconvolution of a photographic plate with a small point spread function. */

enum { HEIGHT = 1536, WIDTH = 1024, DOWN = 4, ACROSS = 2, ROUNDS = 10 };

struct tile {
    int top, bottom, left, right;
};

static void *plane(void)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, sizeof(float[HEIGHT][WIDTH])) != 0)
        exit(1);
    return memory;
}

static void expose(int h, int w, float plate[h][w])
{
    float sky[w];
    unsigned state = 4711;

    for (int x = 0; x < w; x++)
        sky[x] = 10.0f + 0.002f * (float)x + (float)(x * 29 % 13) * 0.1f;
    for (int y = 0; y < h; y++)
        memcpy(plate[y], sky, sizeof sky);
    for (int star = 0; star < 9000; star++) {
        state = state * 1103515245u + 12345u;
        int y = 2 + (int)((state >> 8) % (unsigned)(h - 4));
        state = state * 1103515245u + 12345u;
        int x = 2 + (int)((state >> 8) % (unsigned)(w - 4));
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++)
                plate[y + dy][x + dx] += 200.0f / (float)(1 + dy * dy + dx * dx);
    }
}

static struct tile my_tile(int number)
{
    int row = number / ACROSS, column = number % ACROSS;
    return (struct tile){HEIGHT * row / DOWN, HEIGHT * (row + 1) / DOWN, WIDTH * column / ACROSS,
                         WIDTH * (column + 1) / ACROSS};
}

static inline int inside(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void spread_light(int h, int w, const float from[h][w], float to[h][w], struct tile t)
{
    float column[w]; /* the sums over three rows */

    for (int y = t.top; y < t.bottom; y++) {
        const float *above = from[inside(y - 1, h)], *here = from[y], *below = from[inside(y + 1, h)];
        int first = inside(t.left - 1, w), last = inside(t.right, w);
        for (int x = first; x <= last; x++)
            column[x] = 0.25f * above[x] + 0.5f * here[x] + 0.25f * below[x];
        for (int x = t.left; x < t.right; x++)
            to[y][x] = 0.25f * column[inside(x - 1, w)] + 0.5f * column[x] +
                       0.25f * column[inside(x + 1, w)];
    }
}

int main(void)
{
    float(*plate)[WIDTH] = plane(), (*estimate)[WIDTH] = plane();
    float(*blurred)[WIDTH] = plane(), (*ratio)[WIDTH] = plane();

    expose(HEIGHT, WIDTH, plate);
    memcpy(estimate, plate, sizeof(float[HEIGHT][WIDTH]));

#pragma omp parallel num_threads(DOWN *ACROSS)
    {
        struct tile t = my_tile(omp_get_thread_num());
        for (int round = 0; round < ROUNDS; round++) {
            spread_light(HEIGHT, WIDTH, (const float(*)[WIDTH])estimate, blurred, t);
            for (int y = t.top; y < t.bottom; y++)
                for (int x = t.left; x < t.right; x++)
                    ratio[y][x] = plate[y][x] / (blurred[y][x] + 1e-6f);
#pragma omp barrier
            spread_light(HEIGHT, WIDTH, (const float(*)[WIDTH])ratio, blurred, t);
            for (int y = t.top; y < t.bottom; y++)
                for (int x = t.left; x < t.right; x++)
                    estimate[y][x] *= blurred[y][x];
#pragma omp barrier
        }
    }

    double light = 0;
    float peak = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            light += estimate[y][x];
            peak = estimate[y][x] > peak ? estimate[y][x] : peak;
        }
    printf("mean %.4f peak %.2f\n", light / HEIGHT / WIDTH, peak);
    free(plate);
    free(estimate);
    free(blurred);
    free(ratio);
}
