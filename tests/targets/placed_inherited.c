// SPDX-License-Identifier: Apache-2.0
// A block of 1 MiB that children inherit: some free it, the others leave it to the end of their process.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20, CHILDREN = 6 };

int main(void)
{
    char *block = malloc(BYTES);
    if (!block)
        return 1;
    memset(block, 1, BYTES);
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() != 0)
            continue;
        if (i % 2)
            free(block);
        exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    int first = block[0];
    free(block);
    return first - 1;
}
