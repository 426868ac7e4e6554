// SPDX-License-Identifier: Apache-2.0
// pages CPU NODE EVENT: on CPU, reads page I of an array on NODE at I + 1 lines out of order, writes page I of a second
// array likewise, and streams over a third. No line is in a cache before. Does so anew, with other arrays, until no
// interrupt comes into it: the kernel's accesses displace the prefetcher's streams. Prints the thread, how many pages,
// what perf counted meanwhile, and the arrays' addresses.
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab.h"

enum { ATTEMPTS = 100, PAGES = 21, ARRAYS = 3, JUNK = 8 << 20, STEP = 3 /* lines: no stream, no factor of 64 */ };

static char *line_of(char *array, int page, int i)
{
    return array + (size_t)page * PAGE + (size_t)(i * STEP % (PAGE / LINE)) * LINE;
}

static void work(char *const *arrays)
{
    for (int page = 0; page < PAGES; page++)
        for (int i = 0; i <= page; i++)
            (void)*(volatile char *)line_of(arrays[0], page, i);
    for (int page = 0; page < PAGES; page++)
        for (int i = 0; i <= page; i++)
            *(volatile char *)line_of(arrays[1], page, i) = 1;
    for (size_t at = 0; at < PAGES * PAGE; at += LINE)
        (void)*(volatile char *)(arrays[2] + at);
}

static uint64_t count_once(int cpu, int node, const char *junk, const char *event, char **arrays, bool *disturbed)
{
    struct perf_event_attr attr = event_encode(event);
    int fd = event_open(&attr, 0, -1, -1);
    if (fd < 0)
        fail(event);
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = memory_on(node, PAGES * PAGE);
    sweep(junk, JUNK);
    uint64_t before = interrupts(cpu);
    event_enable(fd);
    work(arrays);
    event_disable(fd);
    *disturbed = interrupts(cpu) != before;
    uint64_t counted = event_read(fd);
    close(fd);
    return counted;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("arguments");
    int cpu = atoi(argv[1]), node = atoi(argv[2]);
    pin(cpu);
    char *arrays[ARRAYS], *junk = memory_on(node_of(cpu), JUNK);
    uint64_t counted = 0;
    bool disturbed = true;
    for (int attempt = 0; disturbed && attempt < ATTEMPTS; attempt++)
        counted = count_once(cpu, node, junk, argv[3], arrays, &disturbed);
    if (disturbed) {
        fprintf(stderr, "an interrupt came into each of %d attempts\n", ATTEMPTS);
        return 1;
    }
    printf("%ld %d %lu", syscall(SYS_gettid), PAGES, counted);
    for (int i = 0; i < ARRAYS; i++)
        printf(" %p", (void *)arrays[i]);
    printf("\n");
    return 0;
}
