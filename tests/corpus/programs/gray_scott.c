// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: four fields with their cells as flexible array members, calloced and set by main through a table of functions; each of eight pthreads has a band of rows
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field {
    size_t rows, columns;
    double cell[];
};

struct field_ops {
    const char *name;
    struct field *(*create)(size_t rows, size_t columns);
    void (*fill)(struct field *f, double inside, double outside);
    void (*copy)(struct field *to, const struct field *from);
    void (*destroy)(struct field *f);
};

static struct field *dense_create(size_t rows, size_t columns)
{
    struct field *f = calloc(1, sizeof *f + rows * columns * sizeof f->cell[0]);
    if (!f) {
        perror("calloc");
        exit(1);
    }
    f->rows = rows;
    f->columns = columns;
    return f;
}

static void dense_fill(struct field *f, double inside, double outside)
{
    for (size_t r = 0; r < f->rows; r++)
        for (size_t c = 0; c < f->columns; c++) {
            int in = (r / 32 + c / 32) % 5 == 0;
            f->cell[r * f->columns + c] = (in ? inside : outside) + 1e-3 * (double)((r * 7 + c * 13) % 10);
        }
}

static void dense_copy(struct field *to, const struct field *from)
{
    memcpy(to->cell, from->cell, from->rows * from->columns * sizeof from->cell[0]);
}

static void dense_destroy(struct field *f)
{
    free(f);
}

static const struct field_ops dense = {"dense", dense_create, dense_fill, dense_copy, dense_destroy};
static const struct field_ops *const backends[] = {&dense};

enum { THREADS = 8, N = 512, STEPS = 10 };

static struct field *u[2], *v[2];
static pthread_barrier_t together;

static void react(size_t from, size_t to, const struct field *a, const struct field *b, struct field *a1, struct field *b1)
{
    size_t n = a->columns;
    for (size_t r = from; r < to; r++)
        for (size_t c = 1; c < n - 1; c++) {
            size_t i = r * n + c;
            double la = a->cell[i - 1] + a->cell[i + 1] + a->cell[i - n] + a->cell[i + n] - 4 * a->cell[i];
            double lb = b->cell[i - 1] + b->cell[i + 1] + b->cell[i - n] + b->cell[i + n] - 4 * b->cell[i];
            double abb = a->cell[i] * b->cell[i] * b->cell[i];
            a1->cell[i] = a->cell[i] + 0.2 * la - abb + 0.035 * (1 - a->cell[i]);
            b1->cell[i] = b->cell[i] + 0.1 * lb + abb - 0.1 * b->cell[i];
        }
}

static void *band(void *argument)
{
    size_t id = (size_t)argument;
    size_t from = 1 + (N - 2) * id / THREADS, to = 1 + (N - 2) * (id + 1) / THREADS;
    for (int step = 0; step < STEPS; step++) {
        int now = step & 1;
        react(from, to, u[now], v[now], u[!now], v[!now]);
        pthread_barrier_wait(&together);
    }
    return NULL;
}

int main(void)
{
    const struct field_ops *ops = backends[0];
    for (int i = 0; i < 2; i++) {
        u[i] = ops->create(N, N);
        v[i] = ops->create(N, N);
    }
    ops->fill(u[0], 0.5, 0.98);
    ops->fill(v[0], 0.25, 0.01);
    ops->copy(u[1], u[0]);
    ops->copy(v[1], v[0]);

    pthread_t team[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (size_t id = 0; id < THREADS; id++)
        pthread_create(&team[id], NULL, band, (void *)id);
    for (int id = 0; id < THREADS; id++)
        pthread_join(team[id], NULL);
    pthread_barrier_destroy(&together);

    double mean = 0;
    for (int r = 0; r < N; r += 16)
        for (int c = 0; c < N; c += 16)
            mean += v[STEPS & 1]->cell[r * N + c];
    printf("%s %.9f\n", ops->name, mean / (N / 16 * N / 16));
    for (int i = 0; i < 2; i++) {
        ops->destroy(u[i]);
        ops->destroy(v[i]);
    }
}
