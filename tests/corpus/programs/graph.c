// SPDX-License-Identifier: Apache-2.0
// truth: graph in CSR form: edges in blocks by vertex, ranks read at random; built by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#include <stdint.h>
int main(void)
{
    uint32_t vertices = 60000, degree = 16, edges = vertices * degree, x = 1;
    uint32_t *offset = malloc((vertices + 1) * sizeof *offset);
    uint32_t *target = malloc(edges * sizeof *target);
    float *rank = malloc(vertices * sizeof *rank), *next = malloc(vertices * sizeof *next);
    for (uint32_t v = 0; v <= vertices; v++)
        offset[v] = v * degree;
    for (uint32_t e = 0; e < edges; e++) {
        x = x * 1664525u + 1013904223u;
        target[e] = (x >> 8) % vertices;
    }
    for (uint32_t v = 0; v < vertices; v++)
        rank[v] = next[v] = 1.0f;
    for (int round = 0; round < 15; round++) {
#pragma omp parallel for schedule(static)
        for (uint32_t v = 0; v < vertices; v++) {
            float sum = 0;
            for (uint32_t e = offset[v]; e < offset[v + 1]; e++)
                sum += rank[target[e]];
            next[v] = 0.15f + 0.85f * sum / (float)degree;
        }
        float *swap = rank;
        rank = next;
        next = swap;
    }
    printf("%.4f\n", (double)rank[17]);
}
