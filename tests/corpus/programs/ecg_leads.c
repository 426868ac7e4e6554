// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, sixteenth
// truth: main maps the record (16 MiB) but touches no page of it; each of eight pthreads reads its own lead (2 MiB) from a temporary file with pread, so the kernel's copy puts the pages on that thread's node, and filters it there in all phases
// fix: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Beats in an eight-lead ECG: every lead by its own thread, the threshold agreed between phases. */

enum { LEADS = 8, SAMPLES = 512 * 1024, PASSES = 30, BLOCK = 4096 };

static int recording = -1;
static float *record;
static pthread_barrier_t phase;
static double energy[LEADS];
static long beats[LEADS];

static void acquire(void)
{
    char name[] = "ecg_leads.XXXXXX";
    float block[BLOCK];
    unsigned state = 99;
    recording = mkstemp(name);
    if (recording < 0)
        exit(1);
    unlink(name);
    for (int lead = 0; lead < LEADS; lead++)
        for (int at = 0; at < SAMPLES; at += BLOCK) {
            for (int i = 0; i < BLOCK; i++) {
                int beat = (at + i + 31 * lead) % 400;
                state = state * 1664525u + 1013904223u;
                block[i] = (beat < 12 ? 6.0f - (float)abs(beat - 6) : 0.0f) * (1.0f + 0.1f * lead) +
                           (float)(state >> 16) / 65536.0f + 0.00001f * (float)((at + i) % 50000);
            }
            if (write(recording, block, sizeof block) != (ssize_t)sizeof block)
                exit(1);
        }
}

static void load(int lead)
{
    size_t bytes = SAMPLES * sizeof *record, done = 0;
    char *into = (char *)(record + (size_t)lead * SAMPLES);
    while (done < bytes) {
        ssize_t got = pread(recording, into + done, bytes - done, (off_t)(lead * bytes + done));
        if (got <= 0)
            exit(1);
        done += (size_t)got;
    }
}

static void *analyse(void *argument)
{
    int lead = (int)((double *)argument - energy);
    float *v = record + (size_t)lead * SAMPLES;
    load(lead);
    for (int pass = 0; pass < PASSES; pass++) {
        float slow = v[0];
        double sum = 0;
        for (int i = 0; i < SAMPLES; i++) {
            slow += 0.004f * (v[i] - slow);
            v[i] -= 0.2f * slow;
            sum += (double)v[i] * v[i];
        }
        energy[lead] = sum / SAMPLES;
        pthread_barrier_wait(&phase);
        double threshold = 0;
        for (int other = 0; other < LEADS; other++)
            threshold += energy[other] * 3 / LEADS;
        pthread_barrier_wait(&phase);
        float level = (float)threshold;
        for (int i = 1; i < SAMPLES; i++)
            beats[lead] += v[i - 1] < level && v[i] >= level;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[LEADS];
    acquire();
    record = mmap(NULL, sizeof(float) * LEADS * SAMPLES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (record == MAP_FAILED)
        return 1;
    pthread_barrier_init(&phase, NULL, LEADS);
    for (int lead = 0; lead < LEADS; lead++)
        if (pthread_create(&thread[lead], NULL, analyse, &energy[lead]) != 0)
            return 1;
    for (int lead = 0; lead < LEADS; lead++) {
        pthread_join(thread[lead], NULL);
        printf("lead %d: %ld beats, energy %.4f\n", lead, beats[lead], energy[lead]);
    }
    close(recording);
    return 0;
}
