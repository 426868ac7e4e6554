// SPDX-License-Identifier: Apache-2.0
// by_turns CPU OTHER LAPS: prints where its two halves of memory are and on which nodes; for each line on its
// standard input it loads all lines of both, by turns, LAPS times, none from a cache, and prints how many loads.
#include <stdio.h>
#include <stdlib.h>

#include "lab.h"

enum { BYTES = 4 << 20 };

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("arguments");
    int cpus[2] = {atoi(argv[1]), atoi(argv[2])};
    size_t loads = 2 * BYTES / LINE * strtoul(argv[3], NULL, 10);
    pin(cpus[0]);
    char *halves[2] = {memory_on(node_of(cpus[0]), BYTES), memory_on(node_of(cpus[1]), BYTES)};
    char *at = chain_by_turns(halves, BYTES), line[64];
    for (int i = 0; i < 2; i++)
        printf("%p %p %d ", (void *)halves[i], (void *)(halves[i] + BYTES), node_of(cpus[i]));
    puts("");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        at = chase(at, loads);
        printf("%zu\n", loads);
        fflush(stdout);
    }
    return at == NULL;
}
