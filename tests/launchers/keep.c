// SPDX-License-Identifier: Apache-2.0
// Keeps a measurement of this machine that nobody made: one latency from every node to itself, 100 ns and its number.
#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"
#include "profiler/measure/result/result_store.h"

int main(void)
{
    static struct topology t;
    struct result result;
    char path[4096];
    int nodes[1024];
    size_t count = 0;
    if (topology_read(&t, "") < 0)
        return 1;
    for (; count < t.node_count && count < 1024; count++)
        nodes[count] = t.nodes[count].id;
    if (result_make(&result, nodes, count, nodes, count) < 0)
        return 1;
    for (size_t i = 0; i < count; i++)
        for (int repeat = 0; repeat < 3; repeat++) {
            struct result_cell *cell = result_cell(&result, RESULT_METRIC_LATENCY_RANDOM, i, i);
            cell->values[cell->count++] = 100 + nodes[i];
        }
    result.has_huge_pages = true;
    int status = result_store_save(&result, &t, path, sizeof path);
    result_free(&result);
    topology_free(&t);
    return status < 0;
}
