// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-first
// truth: main maps a survey file of 16 MiB privately (MAP_PRIVATE, writable) and turns the bytes of every value in place, which gives main a private copy of each page; eight pthreads then calibrate 1/8 of the exposures each, in place, pass after pass
// fix: parts
#include <endian.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPOSURES 256
#define PIXELS (128 * 128)
#define WORKERS 8
#define PASSES 12

typedef struct {
    float value[PIXELS];
} exposure_t;

typedef struct {
    pthread_t id;
    exposure_t *exposures;
    int first, last;
    double flux;
} worker_t;

static int write_survey(void)
{
    FILE *file = tmpfile();
    static uint32_t line[PIXELS];
    uint32_t seed = 99;

    if (!file)
        return -1;
    for (int e = 0; e < EXPOSURES; e++) {
        for (int p = 0; p < PIXELS; p++) {
            union { float f; uint32_t u; } pixel;
            seed = seed * 1664525u + 1013904223u;
            pixel.f = 100 + (float)(seed >> 20) / 64 + (p == e * 61 % PIXELS ? 5000 : 0);
            line[p] = htobe32(pixel.u);
        }
        if (fwrite(line, sizeof line, 1, file) != 1)
            return -1;
    }
    fflush(file);
    int fd = dup(fileno(file));
    fclose(file);
    return fd;
}

static exposure_t *open_survey(int fd)
{
    size_t bytes = sizeof(exposure_t[EXPOSURES]);
    exposure_t *exposures = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

    if (exposures == MAP_FAILED)
        return NULL;
    uint32_t *word = (uint32_t *)exposures;
    for (size_t i = 0; i < bytes / sizeof *word; i++)
        word[i] = be32toh(word[i]);
    return exposures;
}

static void *calibrate(void *arg)
{
    worker_t *w = arg;

    for (int pass = 0; pass < PASSES; pass++)
        for (int e = w->first; e < w->last; e++) {
            float *value = w->exposures[e].value, sky = 0;
            for (int p = 0; p < PIXELS; p++)
                sky += value[p];
            sky /= PIXELS;
            for (int p = 0; p < PIXELS; p++)
                value[p] -= 0.2f * sky;
            w->flux += sky;
        }
    return NULL;
}

int main(void)
{
    int fd = write_survey();
    exposure_t *exposures = fd < 0 ? NULL : open_survey(fd);
    worker_t workers[WORKERS];
    double flux = 0;

    if (!exposures) {
        perror("survey");
        return 1;
    }
    for (int k = 0; k < WORKERS; k++) {
        workers[k] = (worker_t){.exposures = exposures, .first = k * EXPOSURES / WORKERS, .last = (k + 1) * EXPOSURES / WORKERS};
        if (pthread_create(&workers[k].id, NULL, calibrate, &workers[k]))
            return 1;
    }
    for (int k = 0; k < WORKERS; k++) {
        pthread_join(workers[k].id, NULL);
        flux += workers[k].flux;
    }
    printf("flux %.4f\n", flux);
    munmap(exposures, sizeof(exposure_t[EXPOSURES]));
    close(fd);
    return 0;
}
