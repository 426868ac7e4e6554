// truth: main alone builds the CSR graph (offsets, targets, weights); afterwards tasks of random walks, run by whichever thread is free, read all of the graph at random
// fix: spread
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG_N 18
#define WALKS 24576
#define LENGTH 400

typedef struct graph {
    uint32_t n;
    uint32_t *first;
    uint32_t *target;
    float *weight;
} graph;

struct totals {
    unsigned long long length, visited, returned;
};

#define NEW(type, count) ((type *)checked(malloc((size_t)(count) * sizeof(type))))

static void *checked(void *p)
{
    if (p == NULL) {
        perror("malloc");
        exit(EXIT_FAILURE);
    }
    return p;
}

static inline uint64_t splitmix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static inline uint32_t degree_of(uint32_t v)
{
    return 4 + (uint32_t)(splitmix(v) >> 61);
}

static void build_graph(graph *g, int log_n)
{
    g->n = 1u << log_n;
    g->first = NEW(uint32_t, g->n + 1);
    g->first[0] = 0;
    for (uint32_t v = 0; v < g->n; v++)
        g->first[v + 1] = g->first[v] + degree_of(v);

    const uint32_t edges = g->first[g->n];
    g->target = NEW(uint32_t, edges);
    g->weight = NEW(float, edges);
    for (uint32_t e = 0; e < edges; e++) {
        const uint64_t r = splitmix(e ^ 0xabcdef0123ull);
        g->target[e] = (uint32_t)(r >> (64 - log_n));
        g->weight[e] = 1.0f + (float)(r & 255) / 16.0f;
    }
}

static void free_graph(graph *g)
{
    free(g->first);
    free(g->target);
    free(g->weight);
}

static void walk(const graph *g, uint64_t id, struct totals *sum)
{
    uint64_t state = splitmix(id * 31 + 5);
    const uint32_t home = (uint32_t)(state >> (64 - LOG_N));
    uint32_t at = home;

    for (int step = 0; step < LENGTH; step++) {
        const uint32_t begin = g->first[at], degree = g->first[at + 1] - begin;
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        const uint32_t edge = begin + (uint32_t)(((state >> 32) * degree) >> 32);
        sum->length += (unsigned)(g->weight[edge] * 16.0f);
        at = g->target[edge];
        sum->visited += at;
        if ((state & 0xff0000) == 0) { /* restart */
            at = home;
            sum->returned++;
        }
    }
}

int main(void)
{
    graph g;
    unsigned long long length = 0, visited = 0, returned = 0;

    build_graph(&g, LOG_N);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(768) reduction(+ : length, visited, returned)
    for (int w = 0; w < WALKS; w++) {
        struct totals sum = {0, 0, 0};
        walk(&g, (uint64_t)w, &sum);
        length += sum.length;
        visited += sum.visited;
        returned += sum.returned;
    }
    printf("%u edges, length %llu, visited %llu, returned %llu\n", g.first[g.n], length, visited, returned);
    free_graph(&g);
}
