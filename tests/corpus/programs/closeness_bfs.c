// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: the adjacency arrays (calloc; nbr 10.7 MiB, off 0.8 MiB) are written first by main in small_world, then each thread runs whole searches over all of them in random order (schedule(dynamic,1) on sources); queues and bitmaps are private to threads
// fix: spread
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Closeness centrality of sampled vertices by breadth-first searches. */

#define NV 200000
#define DEG 14
#define SOURCES 64

typedef struct {
    int nv;
    int *off;
    int *nbr;
} graph_t;

static void *must_calloc(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return p;
}

static graph_t small_world(int nv)
{
    graph_t g = {nv, must_calloc(nv + 1, sizeof(int)), must_calloc((size_t)nv * DEG, sizeof(int))};
    uint64_t s = 88172645463325252ull;
    for (int v = 0; v < nv; v++) {
        g.off[v + 1] = g.off[v] + DEG;
        for (int e = 0; e < DEG; e++) {
            s = s * 6364136223846793005ull + 1442695040888963407ull;
            g.nbr[g.off[v] + e] = e < 2 ? (v + 2 * e - 1 + nv) % nv : (int)((s >> 33) % nv);
        }
    }
    return g;
}

/* sum of distances from src to all reachable vertices */
static long bfs(const graph_t *g, int src, int *queue, uint64_t *seen)
{
    long sum = 0;
    int head = 0, tail = 0, depth = 0;
    memset(seen, 0, (g->nv / 64 + 1) * sizeof *seen);
    queue[tail++] = src;
    seen[src >> 6] |= 1ull << (src & 63);
    while (head < tail) {
        int level_end = tail;
        depth++;
        for (; head < level_end; head++) {
            int v = queue[head];
            for (int e = g->off[v]; e < g->off[v + 1]; e++) {
                int w = g->nbr[e];
                uint64_t bit = 1ull << (w & 63);
                if (!(seen[w >> 6] & bit)) {
                    seen[w >> 6] |= bit;
                    queue[tail++] = w;
                    sum += depth;
                }
            }
        }
    }
    return sum;
}

int main(void)
{
    graph_t g = small_world(NV);
    long far[SOURCES];

#pragma omp parallel
    {
        int *queue = malloc(g.nv * sizeof *queue);
        uint64_t *seen = malloc((g.nv / 64 + 1) * sizeof *seen);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < SOURCES; i++)
            far[i] = bfs(&g, (int)(i * 7919L % g.nv), queue, seen);
        free(seen);
        free(queue);
    }

    int best = 0;
    long total = 0;
    for (int i = 0; i < SOURCES; i++) {
        total += far[i];
        if (far[i] < far[best])
            best = i;
    }
    printf("most central sample %d, farness %ld, total %ld\n", best, far[best], total);
    free(g.nbr);
    free(g.off);
    return 0;
}
