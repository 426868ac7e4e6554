// SPDX-License-Identifier: Apache-2.0
// Says "ready", waits for a line, allocates and frees a large block N times, says "done", and waits for another line.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char line[16];
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
        char *block = malloc(70000);
        if (block)
            *(volatile char *)block = 1;
        free(block);
    }
    puts("done");
    fflush(stdout);
    return fgets(line, sizeof line, stdin) ? 0 : 1;
}
