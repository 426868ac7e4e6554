// SPDX-License-Identifier: Apache-2.0
// siblings CPU SIBLING NODE EVENT...: while EVENT counts on CPU, both CPUs read lines of NODE that no cache has, the
// sibling three times as many. Prints for each event what perf counted, and what the hardware of each CPU did.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab.h"

enum { OWN_BYTES = 1 << 20, SIBLING_BYTES = 3 << 20, JUNK = 8 << 20, APART = 3 * LINE };

struct reader {
    int cpu;
    size_t bytes;
    char *memory, *junk;
};

static void *reader_clear(void *argument)
{
    const struct reader *reader = argument;
    pin(reader->cpu);
    sweep(reader->junk, JUNK);
    return NULL;
}

static void *reader_run(void *argument)
{
    const struct reader *reader = argument;
    pin(reader->cpu);
    for (size_t at = 0; at < reader->bytes; at += APART) // not a stream
        (void)*(volatile char *)(reader->memory + at);
    return NULL;
}

static void run_both(struct reader *readers, void *(*function)(void *))
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, function, &readers[i]))
            fail("pthread_create");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void round_for(const char *event, struct reader *readers)
{
    struct matrix before[2], moved[2];
    struct perf_event_attr attr = event_encode(event);
    int fd = event_open(&attr, -1, readers[0].cpu, -1);
    if (fd < 0)
        fail(event);
    run_both(readers, reader_clear);
    for (int i = 0; i < 2; i++)
        before[i] = matrix_of(readers[i].cpu);
    event_enable(fd);
    run_both(readers, reader_run);
    event_disable(fd);
    for (int i = 0; i < 2; i++)
        moved[i] = matrix_less(matrix_of(readers[i].cpu), &before[i]);
    printf("{\"event\": \"%s\", \"perf\": %lu, \"own\": ", event, event_read(fd));
    matrix_print(&moved[0], LAB_USER);
    printf(", \"sibling\": ");
    matrix_print(&moved[1], LAB_USER);
    printf("}\n");
}

// A CPU of neither reader: what this thread reads between a count and the next must not be theirs.
static int elsewhere(const struct reader *readers)
{
    int cpu = 0;
    while (cpu == readers[0].cpu || cpu == readers[1].cpu)
        cpu++;
    return cpu;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        fail("arguments");
    struct reader readers[2] = {{.cpu = atoi(argv[1]), .bytes = OWN_BYTES},
                                {.cpu = atoi(argv[2]), .bytes = SIBLING_BYTES}};
    for (int i = 0; i < 2; i++) {
        readers[i].memory = memory_on(atoi(argv[3]), readers[i].bytes);
        readers[i].junk = memory_on(node_of(readers[i].cpu), JUNK);
    }
    pin(elsewhere(readers));
    for (int i = 4; i < argc; i++)
        round_for(argv[i], readers);
    return 0;
}
