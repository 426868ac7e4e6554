// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, nineteenth
// truth: main computes the matrix of travel times between 2048 stops (malloc, 16 MiB); a pool of eight pthreads takes vans from a queue and improves the tour of each by swaps of random stops, which read random places of the whole matrix; tours (one malloc of 8 KiB each) are small
// fix: spread
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STOPS = 2048, VANS = 96, THREADS = 8, TRIES = 24000 };

struct van {
    int *tour;
    uint32_t seed;
    double cost;
};

struct depot {
    float *times;
    struct van vans[VANS];
    int next;
    pthread_mutex_t lock;
};

static uint32_t draw(uint32_t *state)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static float *travel_times(void)
{
    float *times = malloc(sizeof(float) * STOPS * STOPS);
    double *x = malloc(sizeof(double) * STOPS), *y = malloc(sizeof(double) * STOPS);
    uint32_t state = 2463534242u;

    if (!times || !x || !y)
        abort();
    for (int i = 0; i < STOPS; i++) {
        x[i] = draw(&state) % 10000;
        y[i] = draw(&state) % 10000;
    }
    for (int i = 0; i < STOPS; i++)
        for (int j = 0; j < STOPS; j++)
            times[i * STOPS + j] = (float)sqrt((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
    free(x);
    free(y);
    return times;
}

static float leg(const struct depot *depot, const int *tour, int i)
{
    return depot->times[tour[i] * STOPS + tour[(i + 1) % STOPS]];
}

static float around(const struct depot *depot, const int *tour, int i)
{
    return leg(depot, tour, (i + STOPS - 1) % STOPS) + leg(depot, tour, i);
}

static void improve(const struct depot *depot, struct van *van)
{
    int *tour = van->tour;

    for (int attempt = 0; attempt < TRIES; attempt++) {
        int i = draw(&van->seed) % STOPS, j = draw(&van->seed) % STOPS, kept = tour[i];
        float before = around(depot, tour, i) + around(depot, tour, j);

        tour[i] = tour[j];
        tour[j] = kept;
        if (around(depot, tour, i) + around(depot, tour, j) > before) {
            tour[j] = tour[i];
            tour[i] = kept;
        }
    }
    van->cost = 0;
    for (int i = 0; i < STOPS; i++)
        van->cost += leg(depot, tour, i);
}

static void *planner(void *argument)
{
    struct depot *depot = argument;

    for (;;) {
        pthread_mutex_lock(&depot->lock);
        int number = depot->next < VANS ? depot->next++ : -1;
        pthread_mutex_unlock(&depot->lock);
        if (number < 0)
            return NULL;
        improve(depot, &depot->vans[number]);
    }
}

int main(void)
{
    static struct depot depot = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[THREADS];
    double best = 1e300;

    depot.times = travel_times();
    for (int v = 0; v < VANS; v++) {
        struct van *van = &depot.vans[v];

        van->seed = 77 + 13 * v;
        van->tour = malloc(sizeof(int) * STOPS);
        if (!van->tour)
            return 1;
        for (int i = 0; i < STOPS; i++)
            van->tour[i] = (i * 5 + v) % STOPS;
    }
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, planner, &depot))
            return 1;
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int v = 0; v < VANS; v++) {
        best = depot.vans[v].cost < best ? depot.vans[v].cost : best;
        free(depot.vans[v].tour);
    }
    free(depot.times);
    printf("%.1f\n", best);
    return 0;
}
