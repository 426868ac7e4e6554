// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: breadth-first search with a shared queue, handed out dynamically: nobody has a part of the graph
// fix: spread
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t *xoff, *xadj, nv = 60000, degree = 16;

static void make_graph(void)
{
    uint64_t s = 88172645463325252u;
    xoff = malloc((nv + 1) * sizeof *xoff);
    xadj = malloc(nv * degree * sizeof *xadj);
    for (int64_t v = 0; v < nv; v++) {
        xoff[v] = v * degree;
        for (int64_t e = 0; e < degree; e++) {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            xadj[v * degree + e] = (int64_t)(s % (uint64_t)nv);
        }
    }
    xoff[nv] = nv * degree;
}

static int64_t bfs(int64_t root, int64_t *tree, int64_t *vlist)
{
    int64_t first = 0, last = 1;
    memset(tree, -1, nv * sizeof *tree);
    vlist[0] = root;
    tree[root] = root;
    while (first != last) {
        int64_t end = last;
#pragma omp parallel for schedule(dynamic, 64)
        for (int64_t k = first; k < end; k++) {
            int64_t v = vlist[k];
            for (int64_t e = xoff[v]; e < xoff[v + 1]; e++) {
                int64_t to = xadj[e];
                if (tree[to] == -1 && __sync_bool_compare_and_swap(&tree[to], -1, v))
                    vlist[__sync_fetch_and_add(&last, 1)] = to;
            }
        }
        first = end;
    }
    return last;
}

int main(void)
{
    make_graph();
    int64_t *tree = malloc(nv * sizeof *tree), *vlist = malloc(nv * sizeof *vlist), reached = 0;
    for (int64_t root = 0; root < 5; root++)
        reached += bfs(root * 777, tree, vlist);
    printf("%lld\n", (long long)reached);
}
