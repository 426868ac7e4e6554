// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: a skewed graph; a parallel region divides vertices by hand so that each thread has as many edges; main builds it
// fix: parts
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int vertices;
    long edges;
    long *offset;
    int *target;
    float *weight;
} csr;

static csr build(int vertices)
{
    csr g = {.vertices = vertices};
    g.offset = malloc((vertices + 1) * sizeof(long));
    g.offset[0] = 0;
    for (int v = 0; v < vertices; v++)
        g.offset[v + 1] = g.offset[v] + (v < vertices / 8 ? 32 : 6);
    g.edges = g.offset[vertices];
    g.target = malloc(g.edges * sizeof(int));
    g.weight = malloc(g.edges * sizeof(float));
    unsigned state = 3;
    for (int v = 0; v < vertices; v++)
        for (long e = g.offset[v]; e < g.offset[v + 1]; e++) {
            state = state * 1664525u + 1013904223u;
            g.target[e] = (v + (int)(state >> 24)) % vertices;
            g.weight[e] = (state >> 16 & 255) / 256.0f;
        }
    return g;
}

static int first_vertex(const csr *g, int part, int parts)
{
    long wanted = g->edges * part / parts;
    int low = 0, high = g->vertices;
    while (low < high) {
        int middle = (low + high) / 2;
        if (g->offset[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void spread_rank(const csr *g, const float *from, float *to)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
        int begin = first_vertex(g, me, all), end = first_vertex(g, me + 1, all);
        for (int v = begin; v < end; v++) {
            float sum = 0;
            for (long e = g->offset[v]; e < g->offset[v + 1]; e++)
                sum += g->weight[e] * from[g->target[e]];
            to[v] = 0.15f + 0.2f * sum;
        }
    }
}

int main(void)
{
    csr g = build(100000);
    float *rank = calloc(g.vertices, sizeof *rank), *next = calloc(g.vertices, sizeof *next);
    for (int v = 0; v < g.vertices; v++)
        rank[v] = 1;
    for (int step = 0; step < 16; step++) {
        spread_rank(&g, rank, next);
        float *swap = rank;
        rank = next;
        next = swap;
    }
    printf("%.6f %.6f\n", rank[17], rank[g.vertices - 1]);
    return 0;
}
