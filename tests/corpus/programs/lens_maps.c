// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twentieth
// truth: two maps (8 MiB each) are set in parallel with a static schedule, so each node has half of them already; the loop of each plane has schedule(dynamic, 4), which gives rows to other threads in each plane; a static schedule is what helps, and no other placement of memory does
// fix: none
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1024
#define WIDTH 2048
#define PLANES 28

static float *bend, *light;

static void prepare(void)
{
    bend = malloc(sizeof(float) * ROWS * WIDTH);
    light = malloc(sizeof(float) * ROWS * WIDTH);
    if (!bend || !light)
        exit(1);
#pragma omp parallel for schedule(static)
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < WIDTH; x++) {
            bend[y * WIDTH + x] = 0.001f * (float)((x * 13 + y * 7) % 997);
            light[y * WIDTH + x] = 1.0f;
        }
}

static void plane(float mass, float redshift)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < ROWS; y++) {
        float dy = (float)(y - ROWS / 2);

        for (int x = 1; x < WIDTH; x++) {
            float dx = (float)(x - WIDTH / 2);
            float r2 = dx * dx + dy * dy + 25.0f;

            bend[y * WIDTH + x] += mass * dx / r2;
            light[y * WIDTH + x] += redshift * (bend[y * WIDTH + x] - bend[y * WIDTH + x - 1]);
        }
        if (y % 64 < 8)
            for (int x = 1; x < WIDTH; x++)
                light[y * WIDTH + x] = sqrtf(1.0f + light[y * WIDTH + x] * light[y * WIDTH + x]);
    }
}

int main(void)
{
    double sum = 0;

    prepare();
    for (int p = 0; p < PLANES; p++)
        plane(0.5f + 0.01f * (float)p, 0.02f);
    for (int x = 0; x < WIDTH; x++)
        sum += light[(ROWS / 4) * WIDTH + x];
    printf("%.5f\n", sum);
    free(bend);
    free(light);
    return 0;
}
