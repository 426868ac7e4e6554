// SPDX-License-Identifier: Apache-2.0
// Joins SAMPLES addresses with OBJECTS live blocks and writes them to a recording:  join FILE OBJECTS SAMPLES
// Prints seconds, seconds of CPU time, peak memory in KiB, and the share in an object.
#include <stdio.h>
#include <stdlib.h>

#include "collectors/heap/objects.h"
#include "collectors/samples/samples.h"
#include "tests/bench/cost.h"

int main(int argc, char **argv)
{
    static struct objects objects;
    static struct call_stacks stacks;
    struct recording_queue *queue;
    if (argc < 4 || recording_queue_create(&queue, argv[1]) < 0)
        return 1;
    uint64_t count = strtoull(argv[2], NULL, 10), samples_count = strtoull(argv[3], NULL, 10), random = 1, known = 0;
    struct tasks tasks = {.queue = queue};
    struct process process = {.id = 1};
    objects = (struct objects){.queue = queue, .tasks = &tasks};
    stacks.queue = queue;
    struct samples samples = {.queue = queue, .stacks = &stacks};
    double begun = cost_seconds();
    for (uint64_t i = 0; i < count; i++) { // each an object of its own
        const struct objects_block block = {
            .address = i << 17, .bytes = 100000, .since = i, .kind = "heap", .stack = (int64_t)i + 1, .thread = 1};
        objects_allocated(&objects, &process, &block);
    }
    for (uint64_t i = 0; i < samples_count; i++) {
        random = table_mix(random, i);
        uint64_t address = random % (count << 17), time = count + i;
        struct objects_found found = objects_live(&objects, &process, address, time);
        struct samples_row row = samples_row(2, 1, (int64_t)time, 1, 1);
        row.block = objects_block(&objects, &process, address, time, found);
        row.address = (int64_t)address;
        known += row.block != RECORDING_NULL;
        objects_has_row(&objects, found, samples_put(&samples, &row));
    }
    int status = recording_queue_stop(queue);
    printf("%.3f %.3f %ld %.3f\n", cost_seconds() - begun, cost_cpu_seconds(), cost_peak_kib(),
           (double)known / (double)samples_count);
    return status < 0;
}
