// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: a CSR graph that main reads by fread; OpenMP divides the vertices, levels of neighbours are looked up
// fix: parts
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t vertices, edges;
    uint32_t *first, *neighbour;
} graph_t;

static FILE *generate(uint32_t vertices, uint32_t degree)
{
    FILE *file = tmpfile();
    uint32_t edges = vertices * degree, x = 7, head[2] = {vertices, edges};
    fwrite(head, sizeof head[0], 2, file);
    for (uint32_t v = 0; v <= vertices; v++) {
        uint32_t at = v * degree;
        fwrite(&at, sizeof at, 1, file);
    }
    for (uint32_t e = 0; e < edges; e++) {
        x = x * 1664525u + 1013904223u;
        uint32_t other = (e / degree + (x >> 8) % 6000) % vertices;
        fwrite(&other, sizeof other, 1, file);
    }
    rewind(file);
    return file;
}

static int load(graph_t *graph, FILE *file)
{
    if (fread(&graph->vertices, sizeof(uint32_t), 1, file) != 1 || fread(&graph->edges, sizeof(uint32_t), 1, file) != 1)
        return -1;
    graph->first = malloc((graph->vertices + 1) * sizeof(uint32_t));
    graph->neighbour = malloc(graph->edges * sizeof(uint32_t));
    if (!graph->first || !graph->neighbour)
        return -1;
    if (fread(graph->first, sizeof(uint32_t), graph->vertices + 1, file) != graph->vertices + 1)
        return -1;
    return fread(graph->neighbour, sizeof(uint32_t), graph->edges, file) == graph->edges ? 0 : -1;
}

int main(void)
{
    FILE *file = generate(60000, 12);
    graph_t graph;
    if (load(&graph, file) != 0)
        return 1;
    fclose(file);
    int *level = malloc(graph.vertices * sizeof *level);
    for (uint32_t v = 0; v < graph.vertices; v++)
        level[v] = -1;
    level[0] = 0;
    long found = 1;
    for (int depth = 0; found; depth++) {
        found = 0;
#pragma omp parallel for schedule(static) reduction(+ : found)
        for (uint32_t v = 0; v < graph.vertices; v++) {
            if (level[v] >= 0)
                continue;
            for (uint32_t e = graph.first[v]; e < graph.first[v + 1]; e++)
                if (level[graph.neighbour[e]] == depth) {
                    level[v] = depth + 1;
                    found++;
                    break;
                }
        }
    }
    long sum = 0;
    for (uint32_t v = 0; v < graph.vertices; v++)
        sum += level[v] >= 0;
    printf("%s\n", sum > 0 ? "reached" : "none");
}
