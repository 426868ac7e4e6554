// SPDX-License-Identifier: Apache-2.0
// shared_read THREADS: the main thread writes 16 MiB, then threads read it, each its own block, three times.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lab/programs/lab.h"

enum { BYTES = 16 << 20, ROUNDS = 3, MOST = 64 };

struct part {
    const volatile char *from;
    size_t bytes;
};

static void *read_part(void *argument)
{
    const struct part *part = argument;
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < part->bytes; i += LINE)
            sum += (unsigned)part->from[i];
    return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    char *memory = aligned_alloc(PAGE, BYTES);
    pthread_t threads[MOST];
    struct part parts[MOST];
    if (!memory || count < 1 || count > MOST)
        fail("shared_read THREADS");
    memset(memory, 1, BYTES);
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){.from = memory + i * (BYTES / count), .bytes = BYTES / count};
        if (pthread_create(&threads[i], NULL, read_part, &parts[i]) != 0)
            fail("pthread_create");
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(memory);
    return 0;
}
