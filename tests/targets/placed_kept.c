// SPDX-License-Identifier: Apache-2.0
// placed_kept MIB: frees 80 blocks of this size, and prints how many MiB of them the process still has.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 80 };

static long pages(void)
{
    long found = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld", &found) != 1)
        found = -1;
    if (file)
        fclose(file);
    return found;
}

int main(int argc, char **argv)
{
    void *blocks[BLOCKS];
    const size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 1 << 20;
    const long before = pages();
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(bytes);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    printf("%ld\n", (pages() - before) * sysconf(_SC_PAGESIZE) >> 20);
    return 0;
}
