// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: four rasters are initialised by rows in turns, used by blocks of rows
// fix: parts
/* Terrain analysis on a digital elevation model: repeated diffusion of a water
 * film along the slope.  Rows of the raster are generated cyclically because
 * the fractal noise of some rows costs more than of others. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define W 2048
#define H 1280

static float *elev, *water, *next, *loss;

static float *raster(void)
{
    void *p = NULL;
    if (posix_memalign(&p, 4096, sizeof(float) * W * H))
        exit(1);
    return p;
}

static float noise(unsigned x, unsigned y)
{
    unsigned h = x * 374761393u + y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return (float)(h >> 16 & 1023) / 1024.0f;
}

static void generate(void)
{
    int y;
#pragma omp parallel for schedule(static, 1)
    for (y = 0; y < H; y++) {
        int octaves = 1 + (y % 5 == 0);
        for (int x = 0; x < W; x++) {
            float e = 40.0f * noise(x / 64, y / 64);
            for (int o = 0; o < octaves; o++)
                e += 4.0f * noise(x >> o, y >> o);
            elev[y * W + x] = e;
            water[y * W + x] = 1.0f;
            next[y * W + x] = 0.0f;
            loss[y * W + x] = 0.01f + 0.02f * noise(y, x);
        }
    }
}

static float drop(float here, float there)
{
    float d = here - there;
    d = d > 4.0f ? 4.0f : d;
    return d < -4.0f ? -4.0f : d;
}

static void flow(void)
{
    int y;
#pragma omp parallel for schedule(static)
    for (y = 1; y < H - 1; y++) {
        for (int x = 1; x < W - 1; x++) {
            int i = y * W + x;
            float here = elev[i] + water[i];
            float f = drop(here, elev[i - 1] + water[i - 1])
                + drop(here, elev[i + 1] + water[i + 1])
                + drop(here, elev[i - W] + water[i - W])
                + drop(here, elev[i + W] + water[i + W]);
            float w = (water[i] - 0.05f * f) * (1.0f - loss[i]) + 0.01f;
            next[i] = w > 0.0f ? w : 0.0f;
        }
    }
}

static int64_t wet_cells(float limit)
{
    int64_t n = 0;
    int y;
#pragma omp parallel for schedule(static) reduction(+ : n)
    for (y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            n += next[y * W + x] > limit;
    return n;
}

int main(int argc, char **argv)
{
    int64_t sum = 0;
    if (argc > 1)
        omp_set_num_threads(atoi(argv[1]));
    else if (!getenv("OMP_NUM_THREADS"))
        omp_set_num_threads(8);

    elev = raster();
    water = raster();
    next = raster();
    loss = raster();
    generate();
    for (int step = 0; step < 11; step++) {
        float *t;
        flow();
        sum += wet_cells(0.5f + 0.1f * (float)step) * (step + 1);
        t = water, water = next, next = t;
    }
    printf("checksum %lld\n", (long long)sum);
    free(elev), free(water), free(next), free(loss);
    return 0;
}
