// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fifth
// truth: a sequencer calls bases: in each of 10 cycles main writes anew the intensities of 524288 clusters in four channels (one malloc, floats, 8 MiB, 2 MiB a channel; main touches it first, in scan, of the first cycle), then between two barriers each of eight pthreads reads its eighth of each channel (1 MiB, more than its L2; those of a node more than the L3) three times, for the means, the spreads and the calls; before and quality (256 KiB each) and base (64 KiB) each worker allocates, clears and uses alone: those are right; now main writes to its own node and half of the workers' reads of the intensities are remote, 12 MiB of the 32 MiB a cycle that are read and written there (main's 8, the workers' 24), about a third of all requests; if each worker touched its part of each channel first, before the first scan, the workers would read only local memory but half of what main writes would be remote, 4 MiB a cycle: about two thirds of the remote requests would go, not all, and main, which writes alone while the workers wait, would be a little slower; only scanning by the workers themselves would take away the rest; interleaving would leave 16 MiB a cycle remote, more than now
// fix: parts
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLUSTERS = 1 << 19, CHANNELS = 4, CYCLES = 10, WORKERS = 8, MINE = CLUSTERS / WORKERS };

struct run {
    float *intensity; // by channel, then by cluster
    pthread_barrier_t scanned, called;
};

struct worker {
    pthread_t thread;
    struct run *run;
    int first;
    // Of each cluster: the light of the last call and its channel, for the phasing, and the quality.
    float *before, *quality;
    uint8_t *base;
    unsigned long calls[CHANNELS];
    double sum;
    int failed;
};

static const float *channel(const struct run *run, int c)
{
    return run->intensity + (size_t)c * CLUSTERS;
}

// Stands for the camera: decodes one image a channel.
static void scan(struct run *run, unsigned cycle)
{
    for (unsigned c = 0; c < CHANNELS; c++) {
        float *image = run->intensity + (size_t)c * CLUSTERS;
        for (unsigned i = 0; i < CLUSTERS; i++) {
            uint32_t dice = (i * 2654435761u) ^ (cycle * 40503u * 65537u);
            dice = (dice ^ dice >> 15) * 2246822519u;
            float light = (dice >> 13) % CHANNELS == c ? 900.0f : 110.0f + 20 * (float)c;
            image[i] = light + (float)((dice >> (4 * c)) & 127) - 2 * (float)cycle;
        }
    }
}

static double mean_of(const float *image)
{
    double sum = 0;
    for (int i = 0; i < MINE; i++)
        sum += image[i];
    return sum / MINE;
}

static double spread_of(const float *image, double mean)
{
    double sum = 0;
    for (int i = 0; i < MINE; i++)
        sum += (image[i] - mean) * (image[i] - mean);
    return sqrt(sum / MINE + 1);
}

static void call(struct worker *w)
{
    float mean[CHANNELS], spread[CHANNELS];

    for (int c = 0; c < CHANNELS; c++)
        mean[c] = (float)mean_of(channel(w->run, c) + w->first);
    for (int c = 0; c < CHANNELS; c++)
        spread[c] = (float)spread_of(channel(w->run, c) + w->first, mean[c]);
    for (int i = 0; i < MINE; i++) {
        float best = -10, second = -10;
        int base = 0;
        for (int c = 0; c < CHANNELS; c++) {
            float light = (channel(w->run, c)[w->first + i] - mean[c]) / spread[c];
            if (c == w->base[i])
                light -= 0.04f * w->before[i]; // some strands lag behind
            if (light > best) {
                second = best;
                best = light;
                base = c;
            } else if (light > second) {
                second = light;
            }
        }
        w->before[i] = best;
        w->base[i] = (uint8_t)base;
        w->quality[i] += best - second;
        w->calls[base]++;
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;

    w->before = malloc(MINE * sizeof *w->before);
    w->quality = malloc(MINE * sizeof *w->quality);
    w->base = malloc(MINE);
    w->failed = w->before == NULL || w->quality == NULL || w->base == NULL;
    for (int i = 0; i < MINE && !w->failed; i++) {
        w->before[i] = w->quality[i] = 0;
        w->base[i] = 0;
    }
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        pthread_barrier_wait(&w->run->scanned);
        if (!w->failed)
            call(w);
        pthread_barrier_wait(&w->run->called);
    }
    for (int i = 0; i < MINE && !w->failed; i++)
        w->sum += w->quality[i];
    free(w->before);
    free(w->quality);
    free(w->base);
    return NULL;
}

int main(void)
{
    static struct worker workers[WORKERS];
    struct run run;
    double quality = 0;
    unsigned long adenine = 0;

    run.intensity = malloc((size_t)CHANNELS * CLUSTERS * sizeof *run.intensity);
    if (run.intensity == NULL || pthread_barrier_init(&run.scanned, NULL, WORKERS + 1) != 0 ||
        pthread_barrier_init(&run.called, NULL, WORKERS + 1) != 0)
        return 1;
    for (int t = 0; t < WORKERS; t++) {
        workers[t].run = &run;
        workers[t].first = t * MINE;
        if (pthread_create(&workers[t].thread, NULL, work, &workers[t]) != 0)
            return 1;
    }
    for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
        scan(&run, cycle);
        pthread_barrier_wait(&run.scanned);
        pthread_barrier_wait(&run.called);
    }
    for (int t = 0; t < WORKERS; t++) {
        pthread_join(workers[t].thread, NULL);
        quality += workers[t].sum;
        adenine += workers[t].calls[0];
        if (workers[t].failed)
            return 1;
    }
    free(run.intensity);
    printf("quality %.4f, %lu of %d A\n", quality / CLUSTERS / CYCLES, adenine, CLUSTERS * CYCLES);
    return 0;
}
