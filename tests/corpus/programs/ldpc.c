// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: edges of a parity-check code and a table of noise, 30 KiB that two sections set; each thread decodes frames on its stack, so that all of it stays in caches: nothing to gain
// fix: none
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BITS = 1008, PER_BIT = 3, PER_CHECK = 6, EDGES = BITS * PER_BIT, CHECKS = EDGES / PER_CHECK };
enum { FRAMES = 400, ROUNDS = 15, NOISE = 4096 };

static uint16_t edge_of_check[CHECKS][PER_CHECK];
static float noise[NOISE];
static short wrong[FRAMES];

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void make_code(void)
{
    uint16_t order[EDGES];
    uint32_t state = 7;
    for (int e = 0; e < EDGES; e++)
        order[e] = e;
    for (int e = EDGES - 1; e > 0; e--) {
        int other = next(&state) % (e + 1);
        uint16_t swap = order[e];
        order[e] = order[other];
        order[other] = swap;
    }
    memcpy(edge_of_check, order, sizeof order);
}

static void make_noise(void)
{
    uint32_t state = 99;
    for (int i = 0; i < NOISE; i++) {
        float sum = 0;
        for (int k = 0; k < 12; k++)
            sum += (float)(next(&state) & 0xffff) / 65536.0f;
        noise[i] = sum - 6;
    }
}

static int decode(int frame)
{
    float channel[BITS], total[BITS], message[EDGES];
    uint32_t state = frame * 2654435761u + 1;
    for (int b = 0; b < BITS; b++)
        channel[b] = 1 + 0.74f * noise[next(&state) % NOISE];
    memset(message, 0, sizeof message);
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp simd
        for (int b = 0; b < BITS; b++)
            total[b] = channel[b] + message[b * PER_BIT] + message[b * PER_BIT + 1] + message[b * PER_BIT + 2];
        for (int c = 0; c < CHECKS; c++) {
            float least = 1e9f, second = 1e9f;
            int sign = 0, which = 0;
            float in[PER_CHECK];
            for (int k = 0; k < PER_CHECK; k++) {
                int e = edge_of_check[c][k];
                in[k] = total[e / PER_BIT] - message[e];
                float size = fabsf(in[k]);
                sign ^= in[k] < 0;
                if (size < least) {
                    second = least;
                    least = size;
                    which = k;
                } else if (size < second) {
                    second = size;
                }
            }
            for (int k = 0; k < PER_CHECK; k++) {
                float size = 0.8f * (k == which ? second : least);
                message[edge_of_check[c][k]] = sign ^ (in[k] < 0) ? -size : size;
            }
        }
    }
    int errors = 0;
    for (int b = 0; b < BITS; b++)
        errors += channel[b] + message[b * PER_BIT] + message[b * PER_BIT + 1] + message[b * PER_BIT + 2] < 0;
    return errors;
}

int main(void)
{
#pragma omp parallel sections
    {
#pragma omp section
        make_code();
#pragma omp section
        make_noise();
    }
#pragma omp parallel for schedule(static)
    for (int f = 0; f < FRAMES; f++)
        wrong[f] = decode(f);
    int bad = 0, bits = 0;
    for (int f = 0; f < FRAMES; f++) {
        bad += wrong[f] != 0;
        bits += wrong[f];
    }
    printf("%d frames, %d bad, %d bits\n", FRAMES, bad, bits);
}
