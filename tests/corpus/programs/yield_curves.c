// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, sixteenth
// truth: main reads all bonds (18.3 MiB of records) from a temporary file through a small buffer into one array of structs; each of eight pthreads then reprices its own consecutive range of bonds in every scenario, half of them remote
// fix: parts
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* Reprice a bond book under parallel and twisted shifts of the yield curve. */

enum { BONDS = 200000, THREADS = 8, SCENARIOS = 180, YEARS = 10, BATCH = 512 };

struct record {
    uint32_t id, face;
    uint16_t years, coupon_bp;
};

struct bond {
    double coupon, face, spread, worst, base, last, carry[4];
    int years, id;
    long cents_moved;
};

static struct desk {
    pthread_t thread;
    struct bond *first, *past;
    long cents[SCENARIOS];
} desks[THREADS];

static double discount[SCENARIOS][YEARS + 1];

static void *check(void *p)
{
    if (!p)
        exit(1);
    return p;
}

static FILE *export_positions(void)
{
    FILE *file = check(fopen("yield_curves.tmp", "wb+"));
    uint32_t state = 20261127;
    for (uint32_t i = 0; i < BONDS; i++) {
        state = state * 1664525u + 1013904223u;
        struct record r = {i, 1000 + (state >> 8) % 9000, 1 + (state >> 24) % 9, 50 + (state >> 12) % 700};
        if (fwrite(&r, sizeof r, 1, file) != 1)
            exit(1);
    }
    remove("yield_curves.tmp");
    rewind(file);
    return file;
}

static struct bond *import_positions(void)
{
    struct record batch[BATCH];
    FILE *file = export_positions();
    struct bond *book = check(malloc(BONDS * sizeof *book)), *next = book;
    for (size_t got; (got = fread(batch, sizeof *batch, BATCH, file)) > 0;)
        for (const struct record *r = batch; r < batch + got; r++)
            *next++ = (struct bond){
                .coupon = r->face * r->coupon_bp * 1e-4, .face = r->face, .spread = 1.0 - r->coupon_bp * 1e-6,
                .worst = 1e300, .years = r->years, .id = (int)r->id, .carry = {0.1, 0.2, 0.3, 0.4}};
    fclose(file);
    return book;
}

static void shift_curves(void)
{
    for (int s = 0; s < SCENARIOS; s++)
        for (int y = 0; y <= YEARS; y++)
            discount[s][y] = y ? discount[s][y - 1] / (1.02 + 0.001 * (s % 6) + 0.00002 * (s / 6) * y) : 1;
}

static void *reprice(void *argument)
{
    struct desk *desk = argument;
    for (int s = 0; s < SCENARIOS; s++)
        for (struct bond *b = desk->first; b < desk->past; b++) {
            double value = b->face * discount[s][b->years] * b->spread;
            for (int y = 1; y <= b->years; y++)
                value += b->coupon * discount[s][y];
            b->base = s == 0 ? value : b->base;
            b->worst = value < b->worst ? value : b->worst;
            b->carry[s % 4] += 0.01 * (value - b->last);
            b->last = value;
            b->cents_moved += (long)((value - b->base) * 100);
            desk->cents[s] += (long)(value * 100);
        }
    return NULL;
}

int main(void)
{
    struct bond *book = import_positions();
    shift_curves();
    for (int t = 0; t < THREADS; t++) {
        desks[t].first = book + (size_t)BONDS * t / THREADS;
        desks[t].past = book + (size_t)BONDS * (t + 1) / THREADS;
        if (pthread_create(&desks[t].thread, NULL, reprice, &desks[t]) != 0)
            return 1;
    }
    long total = 0, moved = 0;
    double worst = 0;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(desks[t].thread, NULL);
        for (int s = 0; s < SCENARIOS; s++)
            total ^= desks[t].cents[s] * (s + 1);
    }
    for (const struct bond *b = book; b < book + BONDS; b++)
        moved += b->cents_moved, worst += b->worst;
    printf("check %ld moved %ld worst %.4f\n", total, moved, worst);
    free(book);
}
