// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, nineteenth
// truth: a braced list makes the four bands of a picture (a function around malloc, 6 MiB each), and main fills them one after the other; all threads sharpen and fuse equal blocks of rows, again and again; the result (calloc, 6 MiB) is written first by its users
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1536, HEIGHT = 1024, BANDS = 4, PASSES = 36 };

struct picture {
    int width, height;
    float *band[BANDS];
    const char *name;
};

static float *plane(int width, int height)
{
    float *pixels = malloc((size_t)width * height * sizeof *pixels);

    if (!pixels) {
        perror("malloc");
        exit(1);
    }
    return pixels;
}

static float sensor(unsigned band, unsigned row, unsigned column)
{
    unsigned word = band * 2654435761u ^ row * 40503u ^ column * 9973u;

    word ^= word >> 13;
    return (float)(word & 1023) / 1024.0f + 0.25f * band;
}

static void expose(struct picture *picture)
{
    for (int b = 0; b < BANDS; b++) {
        float *out = picture->band[b];

        for (int y = 0; y < picture->height; y++)
            for (int x = 0; x < picture->width; x++)
                *out++ = sensor(b, y, x);
    }
}

static void fuse(const struct picture *picture, const float weight[BANDS], float *restrict result)
{
    const int width = picture->width;

#pragma omp parallel for schedule(static)
    for (int y = 0; y < picture->height; y++) {
        float *out = result + (size_t)y * width;

        for (int b = 0; b < BANDS; b++) {
            const float *in = picture->band[b] + (size_t)y * width;

            for (int x = 1; x < width - 1; x++)
                out[x] += weight[b] * (2.0f * in[x] - 0.5f * (in[x - 1] + in[x + 1]));
        }
    }
}

static double brightness(const float *pixels, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i += 997)
        sum += pixels[i];
    return sum;
}

int main(void)
{
    struct picture picture = {
        .width = WIDTH,
        .height = HEIGHT,
        .band = {plane(WIDTH, HEIGHT), plane(WIDTH, HEIGHT), plane(WIDTH, HEIGHT), plane(WIDTH, HEIGHT)},
        .name = "field",
    };
    float *result = calloc((size_t)WIDTH * HEIGHT, sizeof *result);

    if (!result)
        return 1;
    expose(&picture);
    for (int pass = 0; pass < PASSES; pass++) {
        const float weight[BANDS] = {0.4f, 0.3f, 0.2f + 0.002f * pass, 0.1f};

        fuse(&picture, weight, result);
    }
    printf("%s: %.4f\n", picture.name, brightness(result, (size_t)WIDTH * HEIGHT));
    for (int b = 0; b < BANDS; b++)
        free(picture.band[b]);
    free(result);
    return 0;
}
