// SPDX-License-Identifier: Apache-2.0
// blocks COUNT BYTES: allocates as many blocks, touches their pages, and prints how many mappings the process has then.
#include <stdio.h>
#include <stdlib.h>

#include "lab.h"

static int mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    int lines = 0;
    if (!file)
        fail("/proc/self/maps");
    for (int c; (c = getc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("blocks COUNT BYTES");
    const size_t count = strtoul(argv[1], NULL, 10), bytes = strtoul(argv[2], NULL, 10);
    char **blocks = calloc(count, sizeof *blocks);
    if (!blocks)
        fail("calloc");
    for (size_t i = 0; i < count; i++) {
        blocks[i] = malloc(bytes);
        if (!blocks[i])
            fail("malloc");
        for (size_t at = 0; at < bytes; at += PAGE)
            blocks[i][at] = 1;
    }
    printf("%d\n", mappings());
    for (size_t i = 0; i < count; i++)
        free(blocks[i]);
    free(blocks);
    return 0;
}
