// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fifth
// truth: hourly readings of 8192 meters: eight pthreads load the days first, day d by thread d % 8, which allocates the day's array (aligned_alloc, 24 rows of 8192 floats, 768 KiB; 16 of them, 12 MiB in all) and writes all of it first in load_day; after a barrier each thread fits the same 1024 meters, one page of each row of each day, in all rounds: the loading is parallel but divided the wrong way; nearly half of the requests are remote, nearly all of them would go if each thread loaded (or cleared first) its own meters of every day; the coefficients (16 KiB a thread) stay in the caches
// fix: parts
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define METERS 8192
#define HOURS 24
#define DAYS 16
#define THREADS 8
#define ROUNDS 20

struct day {
    float (*load)[METERS]; // one row for each hour, kW
    float outside[HOURS];  // degrees
};

struct model {
    float base, heating, evening, night;
};

struct study {
    struct day days[DAYS];
    struct model models[METERS];
    pthread_barrier_t barrier;
    int failed;
};

struct worker {
    struct study *study;
    pthread_t thread;
    int number;
    double error;
};

static float noise(uint32_t key)
{
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return (float)(key >> 8) / (1 << 24);
}

// Stands for the file of a day that comes from the data hub.
static int load_day(struct day *day, int number)
{
    day->load = aligned_alloc(4096, HOURS * sizeof *day->load);
    if (day->load == NULL)
        return -1;
    for (int hour = 0; hour < HOURS; hour++) {
        float cold;
        day->outside[hour] = 4 + 0.3f * (float)number - 5 * cosf(0.2618f * (float)(hour - 3));
        cold = fmaxf(0, 16 - day->outside[hour]);
        for (int m = 0; m < METERS; m++) {
            float kw = 0.2f + 0.05f * (float)(m % 11) + 0.02f * (float)(m % 7) * cold;
            if (hour >= 17 && hour < 22)
                kw += 0.1f * (float)(m % 5);
            kw += 0.1f * noise((uint32_t)((number * HOURS + hour) * METERS + m));
            if ((hour * 31 + m) % 997 == number)
                kw = 40; // a broken reading
            day->load[hour][m] = kw;
        }
    }
    return 0;
}

static float predict(const struct model *model, float cold, float evening, float night)
{
    return model->base + model->heating * cold + model->evening * evening + model->night * night;
}

// One step down the gradient for the meters from first to last; returns the sum of the squares.
static double fit(struct study *study, int first, int last, float rate)
{
    double squares = 0;

    for (int d = 0; d < DAYS; d++) {
        const struct day *day = &study->days[d];
        for (int hour = 0; hour < HOURS; hour++) {
            const float *load = day->load[hour];
            float cold = fmaxf(0, 16 - day->outside[hour]) / 16;
            float evening = hour >= 17 && hour < 22, night = hour < 6, sum = 0;
            for (int m = first; m < last; m++) {
                struct model *model = &study->models[m];
                float off = load[m] - predict(model, cold, evening, night);
                off = fmaxf(-1, fminf(off, 1)); // a broken reading must not pull far
                sum += off * off;
                off *= rate;
                model->base += off;
                model->heating += off * cold;
                model->evening += off * evening;
                model->night += off * night;
            }
            squares += sum;
        }
    }
    return squares;
}

static void *work(void *argument)
{
    struct worker *me = argument;
    struct study *study = me->study;
    int first = METERS / THREADS * me->number, last = first + METERS / THREADS;

    for (int d = me->number; d < DAYS; d += THREADS)
        if (load_day(&study->days[d], d) != 0)
            __atomic_store_n(&study->failed, 1, __ATOMIC_RELAXED);
    pthread_barrier_wait(&study->barrier);
    if (__atomic_load_n(&study->failed, __ATOMIC_RELAXED))
        return NULL;

    for (int round = 0; round < ROUNDS; round++)
        me->error = fit(study, first, last, 0.05f / (float)(1 + round));
    return NULL;
}

int main(void)
{
    static struct study study;
    struct worker workers[THREADS] = {0};
    double error = 0;

    if (pthread_barrier_init(&study.barrier, NULL, THREADS) != 0)
        return EXIT_FAILURE;
    for (int t = 0; t < THREADS; t++) {
        workers[t].study = &study;
        workers[t].number = t;
        if (pthread_create(&workers[t].thread, NULL, work, &workers[t]) != 0)
            return EXIT_FAILURE;
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(workers[t].thread, NULL);
        error += workers[t].error;
    }
    printf("error %.4f kW\n", sqrt(error / ((double)METERS * HOURS * DAYS)));
    for (int d = 0; d < DAYS; d++)
        free(study.days[d].load);
    pthread_barrier_destroy(&study.barrier);
    return study.failed;
}
