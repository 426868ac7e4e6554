// SPDX-License-Identifier: Apache-2.0
// Looks up the function and line of each address (file offsets in hexadecimal, one a line on stdin) in PROGRAM, as the
// recorder does when a run has ended:  symbols FILE PROGRAM
// Prints seconds, seconds of CPU time, peak memory in KiB, and how many got a function.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "profiler/symbols.h"

static double cpu(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static struct stacks stacks;
    struct recording *recording;
    struct record_queue *queue;
    struct map_paths *paths = NULL;
    struct maps maps = {0};
    struct table programs = {0};
    uint64_t address;
    if (argc < 3 || recording_create(&recording, argv[1]) < 0 || record_queue_start(&queue, recording) < 0)
        return 1;
    const char *path = map_paths_intern(&paths, argv[2]);
    table_put(&programs, (uintptr_t)path, 1);
    stacks.queue = queue;
    maps_add(&maps, (struct mapping){.start = 0, .end = UINT64_C(1) << 40, .path = path, .executable = true});
    while (scanf("%lx", &address) == 1)
        stacks_weigh(&stacks, stacks_intern(&stacks, &maps, 1, &address, 1, false), 1);
    struct progress progress;
    int64_t next_place;
    const struct symbols_request request = {.stacks = &stacks, .programs = &programs, .files = files_new(),
                                            .queue = queue, .progress = &progress, .next_place = &next_place};
    double begun = now();
    progress_begin(&progress, "looking up functions and lines");
    int64_t resolved = symbols_resolve(&request);
    progress_end(&progress);
    double took = now() - begun;
    int status = record_queue_stop(queue);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%.3f %.3f %ld %ld\n", took, cpu(&used), used.ru_maxrss, (long)resolved);
    return status < 0;
}
