// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: main goes on working beside eight pthreads: it fills, smooths and scales a frame, then hands it to its thread, which reads it once: what is used most lies where main is, nothing to gain
// fix: none
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, FRAME = 400000, ROUNDS = 3 };

struct lane {
    float *frame;
    sem_t full, empty;
    pthread_t thread;
    long echoes;
    double strength;
};

static void make(float *frame, unsigned seed)
{
    unsigned state = seed * 2654435761u + 1;
    for (int i = 0; i < FRAME; i++) {
        state = state * 1664525u + 1013904223u;
        frame[i] = (float)(state >> 20) / 4096;
    }
    float before = frame[0], highest = 0;
    for (int i = 1; i < FRAME; i++) {
        before = 0.75f * before + 0.25f * frame[i];
        frame[i] = before;
        highest = before > highest ? before : highest;
    }
    for (int i = 0; i < FRAME; i++)
        frame[i] /= highest;
}

static void *detect(void *argument)
{
    struct lane *lane = argument;
    for (int round = 0; round < ROUNDS; round++) {
        while (sem_wait(&lane->full) != 0)
            continue;
        for (int i = 0; i < FRAME; i++)
            if (lane->frame[i] > 0.8f) {
                lane->echoes++;
                lane->strength += lane->frame[i];
            }
        sem_post(&lane->empty);
    }
    return NULL;
}

int main(void)
{
    static struct lane lanes[THREADS];
    for (int t = 0; t < THREADS; t++) {
        lanes[t].frame = malloc(FRAME * sizeof *lanes[t].frame);
        if (!lanes[t].frame)
            return 1;
        sem_init(&lanes[t].full, 0, 0);
        sem_init(&lanes[t].empty, 0, 1);
        if (pthread_create(&lanes[t].thread, NULL, detect, &lanes[t]) != 0)
            return 1;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int t = 0; t < THREADS; t++) {
            while (sem_wait(&lanes[t].empty) != 0)
                continue;
            make(lanes[t].frame, (unsigned)(round * THREADS + t));
            sem_post(&lanes[t].full);
        }
    long echoes = 0;
    double strength = 0;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(lanes[t].thread, NULL);
        echoes += lanes[t].echoes;
        strength += lanes[t].strength;
        free(lanes[t].frame);
    }
    printf("%ld %.4f\n", echoes, strength);
}
