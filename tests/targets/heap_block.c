// SPDX-License-Identifier: Apache-2.0
// heap_block KIB: allocates a block of KIB twice; a thread touches it, then it is freed.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes;

static void *work(void *block)
{
    return memset(block, 1, bytes);
}

int main(int argc, char **argv)
{
    bytes = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1024) << 10;
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        char *block = malloc(bytes);
        if (!block || pthread_create(&thread, NULL, work, block) != 0 || pthread_join(thread, NULL) != 0)
            return 1;
        free(block);
    }
    return 0;
}
