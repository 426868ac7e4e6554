// SPDX-License-Identifier: Apache-2.0
// Looks up the function and line of each address (file offsets in hexadecimal, one a line on stdin) in PROGRAM, as the
// recorder does when a run has ended:  symbols FILE PROGRAM
// Prints seconds, seconds of CPU time, peak memory in KiB, and how many got a function.
#include <stdio.h>
#include <stdlib.h>

#include "profiler/symbols/symbols.h"
#include "tests/bench/cost.h"

int main(int argc, char **argv)
{
    static struct call_stacks stacks;
    struct recording_queue *queue;
    struct intern *paths = NULL;
    struct address_space space = {0};
    struct table programs = {0};
    uint64_t address;
    if (argc < 3 || recording_queue_create(&queue, argv[1]) < 0)
        return 1;
    const char *path = intern_text(&paths, argv[2]);
    table_put(&programs, (uintptr_t)path, 1);
    stacks.queue = queue;
    address_space_add(&space, (struct mapping){.start = 0, .end = UINT64_C(1) << 40, .path = path, .executable = true});
    while (scanf("%lx", &address) == 1)
        call_stacks_weigh(&stacks, call_stacks_intern(&stacks, &space, 1, &address, 1, false), 1);
    struct progress progress;
    int64_t next_place;
    const struct symbols_request request = {.stacks = &stacks,
                                            .programs = &programs,
                                            .files = program_files_new(),
                                            .queue = queue,
                                            .progress = &progress,
                                            .next_place = &next_place};
    double begun = cost_seconds();
    progress_begin(&progress, "looking up functions and lines");
    int64_t resolved = symbols_resolve(&request);
    progress_end(&progress);
    double took = cost_seconds() - begun;
    int status = recording_queue_stop(queue);
    printf("%.3f %.3f %ld %ld\n", took, cost_cpu_seconds(), cost_peak_kib(), (long)resolved);
    return status < 0;
}
