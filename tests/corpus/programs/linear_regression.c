// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: Phoenix's linear regression: main reads the points, ranges go to pthreads, whose sums share cache lines with others'
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    signed char x, y;
} point;

typedef struct {
    pthread_t id;
    const point *points;
    int count;
    long long sx, sy, sxx, syy, sxy;
} range;

static void *regress(void *argument)
{
    range *own = argument;
    for (int round = 0; round < 6; round++)
        for (int i = 0; i < own->count; i++) {
            own->sx += own->points[i].x;
            own->sxx += own->points[i].x * own->points[i].x;
            own->sy += own->points[i].y;
            own->syy += own->points[i].y * own->points[i].y;
            own->sxy += own->points[i].x * own->points[i].y;
        }
    return NULL;
}

static point *read_points(int count)
{
    point *points = malloc(count * sizeof(point));
    unsigned state = 11;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        points[i].x = (signed char)(state >> 24);
        points[i].y = (signed char)(state >> 16);
    }
    return points;
}

int main(void)
{
    enum { THREADS = 8, COUNT = 1 << 21 };
    point *points = read_points(COUNT);
    range *ranges = calloc(THREADS, sizeof(range));
    for (int t = 0; t < THREADS; t++) {
        ranges[t].points = points + COUNT / THREADS * t;
        ranges[t].count = COUNT / THREADS;
        pthread_create(&ranges[t].id, NULL, regress, &ranges[t]);
    }
    long long sx = 0, sxy = 0;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(ranges[t].id, NULL);
        sx += ranges[t].sx;
        sxy += ranges[t].sxy;
    }
    printf("%lld %lld\n", sx, sxy);
    free(ranges);
    free(points);
    return 0;
}
