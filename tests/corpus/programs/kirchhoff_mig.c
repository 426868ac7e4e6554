// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, eighteenth
// truth: main alone fills the traces (malloc of an array type, 8 MiB), read by all threads from end to end for their columns, and the travel times (8 MiB), of which each thread uses its block of columns, but which ask for 2 % of the lines only; the image (calloc, 1 MiB) is written first by its users
// fix: spread
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Kirchhoff migration of a seismic line: each point of the image adds up all traces at their travel times. */

enum { TRACES = 512, SAMPLES = 4096, COLUMNS = 256, DEPTHS = 512, OFFSETS = 16 };

typedef float trace_t[SAMPLES];
typedef float column_t[OFFSETS][DEPTHS];
typedef float image_t[DEPTHS];

struct survey {
    trace_t *traces;
    column_t *times;
    image_t *image;
};

struct line_reader {
    uint32_t state;
    float spike;
};

static float next_sample(struct line_reader *reader)
{
    reader->state = reader->state * 1664525u + 1013904223u;
    reader->spike = 0.7f * reader->spike + ((reader->state >> 20) % 97 == 0 ? 1.0f : 0.0f);
    return reader->spike + (float)(reader->state >> 24) * 0.001f;
}

/* Fills whatever block of samples it is handed, as a tape is read. */
static size_t read_block(struct line_reader *reader, void *to, size_t bytes)
{
    unsigned char *out = to;
    for (size_t done = 0; done < bytes; done += sizeof(float)) {
        float sample = next_sample(reader);
        memcpy(out + done, &sample, sizeof sample);
    }
    return bytes;
}

static int load(struct survey *s)
{
    struct line_reader reader = {1, 0};
    for (int t = 0; t < TRACES; t++)
        if (read_block(&reader, s->traces[t], sizeof s->traces[t]) != sizeof s->traces[t])
            return -1;
    return 0;
}

static void shoot(struct survey *s)
{
    for (int c = 0; c < COLUMNS; c++)
        for (int o = 0; o < OFFSETS; o++)
            for (int z = 0; z < DEPTHS; z++) {
                float across = 12.5f * (float)o, down = 5.0f * (float)z * (1 + 0.0002f * (float)c);
                s->times[c][o][z] = sqrtf(across * across + down * down) * 0.9f;
            }
}

static struct survey survey_new(void)
{
    struct survey s = {malloc(TRACES * sizeof *s.traces), malloc(COLUMNS * sizeof *s.times),
                       calloc(COLUMNS, sizeof *s.image)};
    if (s.traces == NULL || s.times == NULL || s.image == NULL)
        exit(1);
    return s;
}

static void migrate(struct survey *s, float stretch)
{
#pragma omp parallel for schedule(static)
    for (int c = 0; c < COLUMNS; c++)
        for (int t = c % 8; t < TRACES; t += 8) {
            const float *trace = s->traces[t], *time = s->times[c][abs(t - 2 * c) % OFFSETS];
            for (int z = 0; z < DEPTHS; z++) {
                int at = (int)(time[z] * stretch) + z;
                s->image[c][z] += trace[at < SAMPLES ? at : SAMPLES - 1];
            }
        }
}

int main(void)
{
    struct survey line = survey_new();
    if (load(&line) != 0)
        return 1;
    shoot(&line);
    for (int pass = 0; pass < 12; pass++)
        migrate(&line, 1.0f + 0.05f * (float)pass);
    double sum = 0, peak = 0;
    for (int c = 0; c < COLUMNS; c++)
        for (int z = 0; z < DEPTHS; z++) {
            sum += line.image[c][z];
            peak = fmax(peak, line.image[c][z]);
        }
    printf("image %.4f peak %.5f\n", sum, peak);
    free(line.traces);
    free(line.times);
    free(line.image);
}
