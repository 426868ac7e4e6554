// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: options in five arrays that main cuts out of one aligned buffer and fills from records; threads of POSIX have ranges
// fix: parts
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, OPTIONS = 240000, RUNS = 8, PAD = 256, LINE = 64 };

typedef struct {
    double s, strike, r, v, t;
    char kind;
} option_t;

static option_t *data;
static double *prices, *spot, *strike, *rate, *volatility, *otime;
static int *otype;

static double cdf(double x)
{
    double k = 1 / (1 + 0.2316419 * fabs(x));
    double tail = 0.3989423 * exp(-0.5 * x * x) * k * (0.3193815 + k * (-0.3565638 + k * 1.7814779));
    return x < 0 ? tail : 1 - tail;
}

static double price(double s, double k, double r, double v, double t, int put)
{
    double root = v * sqrt(t), d1 = ((s - k) / k + (r + 0.5 * v * v) * t) / root, future = k * (1 - r * t);
    double call = s * cdf(d1) - future * cdf(d1 - root);
    return put ? call - s + future : call;
}

static void *bs_thread(void *argument)
{
    int me = *(int *)argument, start = me * (OPTIONS / THREADS), end = start + OPTIONS / THREADS;
    for (int run = 0; run < RUNS; run++)
        for (int i = start; i < end; i++)
            prices[i] = price(spot[i], strike[i], rate[i], volatility[i], otime[i], otype[i]);
    return NULL;
}

int main(void)
{
    data = malloc(OPTIONS * sizeof(option_t));
    prices = malloc(OPTIONS * sizeof(double));
    for (int i = 0; i < OPTIONS; i++)
        data[i] = (option_t){.s = 80 + i % 40, .strike = 100, .r = 0.02 + i % 3 * 0.01, .v = 0.1 + i % 5 * 0.1,
                             .t = 0.5 + i % 2, .kind = i % 2 ? 'P' : 'C'};

    double *buffer = malloc(5 * OPTIONS * sizeof(double) + PAD);
    spot = (double *)(((uintptr_t)buffer + PAD) & ~(uintptr_t)(LINE - 1));
    strike = spot + OPTIONS;
    rate = strike + OPTIONS;
    volatility = rate + OPTIONS;
    otime = volatility + OPTIONS;
    int *buffer2 = malloc(OPTIONS * sizeof(int) + PAD);
    otype = (int *)(((uintptr_t)buffer2 + PAD) & ~(uintptr_t)(LINE - 1));
    for (int i = 0; i < OPTIONS; i++) {
        otype[i] = data[i].kind == 'P';
        spot[i] = data[i].s;
        strike[i] = data[i].strike;
        rate[i] = data[i].r;
        volatility[i] = data[i].v;
        otime[i] = data[i].t;
    }
    pthread_t threads[THREADS];
    int ids[THREADS];
    for (int t = 0; t < THREADS; t++) {
        ids[t] = t;
        pthread_create(&threads[t], NULL, bs_thread, &ids[t]);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    printf("%.6f %.6f\n", prices[5], prices[OPTIONS - 2]);
    free(data);
    free(prices);
    free(buffer);
    free(buffer2);
}
