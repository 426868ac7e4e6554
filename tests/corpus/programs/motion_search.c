// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, eighteenth
// truth: main draws all 16 frames of a clip (16 MiB, malloc); each thread searches the blocks of its rows, but compares every block 289 times with a window of 2 KiB that stays in its cache, so each line comes from memory a few times in all: compute bound, nothing to gain
// fix: none
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* The motion search of a video encoder: where in the frame before did each block of 16 x 16 lie? */

enum { WIDTH = 1024, HEIGHT = 1024, FRAMES = 16, BLOCK = 16, RANGE = 8 };

struct vector {
    int8_t x, y;
};

static void draw(uint8_t *frame, int number)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint32_t u = (uint32_t)(x + 3 * number) / 5, v = (uint32_t)(y + 2 * number) / 3;
            uint32_t h = u * 374761393u + v * 668265263u;
            frame[y * WIDTH + x] = (uint8_t)((h ^ h >> 13) * 1274126177u >> 24);
        }
}

static uint8_t *load_clip(void)
{
    uint8_t *clip = malloc((size_t)FRAMES * WIDTH * HEIGHT);
    if (clip == NULL)
        exit(1);
    for (int f = 0; f < FRAMES; f++)
        draw(clip + (size_t)f * WIDTH * HEIGHT, f);
    return clip;
}

static int differ(const uint8_t *a, const uint8_t *b, int least)
{
    int sum = 0;
    for (int y = 0; y < BLOCK && sum < least; y++)
        for (int x = 0; x < BLOCK; x++)
            sum += abs(a[y * WIDTH + x] - b[y * WIDTH + x]);
    return sum;
}

static struct vector search(const uint8_t *now, const uint8_t *before, int x, int y, long *cost)
{
    struct vector best = {0, 0};
    int least = INT_MAX;
    for (int dy = -RANGE; dy <= RANGE; dy++)
        for (int dx = -RANGE; dx <= RANGE; dx++) {
            if (x + dx < 0 || y + dy < 0 || x + dx + BLOCK > WIDTH || y + dy + BLOCK > HEIGHT)
                continue;
            int d = differ(now + y * WIDTH + x, before + (y + dy) * WIDTH + x + dx, INT_MAX);
            if (d < least) {
                least = d;
                best = (struct vector){(int8_t)dx, (int8_t)dy};
            }
        }
    *cost += least;
    return best;
}

int main(void)
{
    uint8_t *clip = load_clip();
    long cost = 0, moved_x = 0, moved_y = 0;
    for (int f = 1; f < FRAMES; f++) {
        const uint8_t *now = clip + (size_t)f * WIDTH * HEIGHT, *before = now - (size_t)WIDTH * HEIGHT;
#pragma omp parallel for schedule(static) reduction(+ : cost, moved_x, moved_y)
        for (int row = 0; row < HEIGHT / BLOCK; row++)
            for (int column = 0; column < WIDTH / BLOCK; column++) {
                struct vector found = search(now, before, column * BLOCK, row * BLOCK, &cost);
                moved_x += found.x;
                moved_y += found.y;
            }
    }
    printf("cost %ld moved %ld %ld\n", cost, moved_x, moved_y);
    free(clip);
}
