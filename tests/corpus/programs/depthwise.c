// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: main writes the static activations front (19.2 MiB, read_batch) and clears back (19.2 MiB) first; then each thread uses its own (image, channel) planes in all 28 layers (collapse(2), static); filters are small
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Depthwise-separable network, depthwise part only: 3x3 filter, bias, hard swish, per plane. */

#define IMAGES 8
#define CHANNELS 24
#define SIDE 160
#define PADDED (SIDE + 2)
#define LAYERS 28

typedef float plane[PADDED][PADDED];
typedef plane batch[IMAGES][CHANNELS];

static batch front, back;
static float filter[LAYERS][CHANNELS][9], bias[LAYERS][CHANNELS];

static float uniform(unsigned *s)
{
    *s = *s * 1103515245u + 12345u;
    return (float)(*s >> 16) / 65536.0f;
}

static void read_batch(batch a, unsigned seed)
{
    for (int n = 0; n < IMAGES; n++)
        for (int c = 0; c < CHANNELS; c++)
            for (int y = 1; y <= SIDE; y++)
                for (int x = 1; x <= SIDE; x++)
                    a[n][c][y][x] = uniform(&seed);
}

static void make_weights(unsigned seed)
{
    for (int l = 0; l < LAYERS; l++)
        for (int c = 0; c < CHANNELS; c++) {
            for (int k = 0; k < 9; k++)
                filter[l][c][k] = 0.4f * uniform(&seed) - 0.05f;
            bias[l][c] = 0.25f * uniform(&seed);
        }
}

static inline float hard_swish(float v)
{
    float g = v + 3.0f;
    g = g < 0.0f ? 0.0f : g > 6.0f ? 6.0f : g;
    return v * g * (1.0f / 6.0f);
}

static void conv_plane(const plane in, plane out, const float *w, float b)
{
    for (int y = 1; y <= SIDE; y++) {
        const float *up = in[y - 1], *mid = in[y], *down = in[y + 1];
        for (int x = 1; x <= SIDE; x++) {
            float v = b;
            for (int k = 0; k < 3; k++)
                v += w[k] * up[x - 1 + k] + w[3 + k] * mid[x - 1 + k] + w[6 + k] * down[x - 1 + k];
            out[y][x] = hard_swish(v);
        }
    }
}

static void depthwise_layer(int l, batch in, batch out)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (int n = 0; n < IMAGES; n++)
        for (int c = 0; c < CHANNELS; c++)
            conv_plane(in[n][c], out[n][c], filter[l][c], bias[l][c]);
}

static void print_pooled(batch a)
{
    for (int n = 0; n < IMAGES; n++) {
        double s = 0.0;
        for (int c = 0; c < CHANNELS; c++)
            for (int y = 1; y <= SIDE; y++)
                for (int x = 1; x <= SIDE; x++)
                    s += a[n][c][y][x];
        printf("image %d: %.5e\n", n, s / (CHANNELS * SIDE * SIDE));
    }
}

int main(void)
{
    make_weights(4u);
    read_batch(front, 11u);
    memset(back, 0, sizeof back);
    for (int l = 0; l < LAYERS; l += 2) {
        depthwise_layer(l, front, back);
        depthwise_layer(l + 1, back, front);
    }
    print_pooled(front);
    return 0;
}
