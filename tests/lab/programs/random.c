// SPDX-License-Identifier: Apache-2.0
// random SEED EVENT: threads that read, write and migrate at random, each with a child thread half way, counted three
// times: by task (inherited by the child), by CPU, and by the hardware itself. CPU 0 conducts and is not counted.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab.h"

enum { THREADS = 3, STEPS = 24, REGION = 1 << 20, LONGEST = 3000 };

static char *regions[LAB_NODES];
static int region_count, cpus, done[2];

static struct worker {
    unsigned seed;
    int tid, start[2];
    pthread_t thread;
} workers[THREADS];

static void step(unsigned *seed)
{
    static const int strides[] = {1, -1, 2, 5, -7, 67};
    char *region = regions[rand_r(seed) % region_count];
    int stride = strides[rand_r(seed) % (int)(sizeof strides / sizeof *strides)];
    long lines = REGION / LINE, at = rand_r(seed) % lines, count = 1 + rand_r(seed) % LONGEST;
    bool write = rand_r(seed) & 1;
    for (; count; count--, at = (at + stride + lines) % lines) {
        volatile char *line = region + at * LINE;
        if (write)
            *line = 1;
        else
            (void)*line;
    }
}

static void steps(unsigned *seed)
{
    for (int i = 0; i < STEPS; i++) {
        if (rand_r(seed) % 3 == 0)
            pin(1 + rand_r(seed) % (cpus - 1));
        step(seed);
    }
}

static void *child(void *seed)
{
    steps(seed);
    return NULL;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    unsigned seed = worker->seed, childs = seed * 31 + 7;
    char byte = 0;
    pthread_t thread;
    pin(1 + (int)(seed % (unsigned)(cpus - 1)));
    worker->tid = (int)syscall(SYS_gettid);
    if (write(done[1], &byte, 1) != 1 || read(worker->start[0], &byte, 1) != 1)
        fail("start");
    steps(&seed);
    if (pthread_create(&thread, NULL, child, &childs) || pthread_join(thread, NULL))
        fail("pthread_create");
    steps(&seed);
    if (write(done[1], &byte, 1) != 1 || read(worker->start[0], &byte, 1) < 0)
        fail("end");
    return NULL;
}

static void wait_for_workers(void)
{
    char byte;
    for (int i = 0; i < THREADS; i++)
        if (read(done[0], &byte, 1) != 1)
            fail("read");
    for (int i = 0; i < THREADS; i++)
        wait_asleep(workers[i].tid);
}

static void start_workers(unsigned seed)
{
    for (int i = 0; i < THREADS; i++) {
        workers[i].seed = seed * 1000 + (unsigned)i;
        if (pipe(workers[i].start) < 0 || pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            fail("pthread_create");
    }
    wait_for_workers();
}

static void add_hardware(struct matrix *sum)
{
    *sum = (struct matrix){0};
    for (int cpu = 1; cpu < cpus; cpu++) {
        struct matrix matrix = matrix_of(cpu);
        matrix_add(sum, &matrix);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 || pipe(done) < 0)
        fail("arguments");
    pin(0);
    cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int node = 0; node < LAB_NODES; node++)
        if (node_has_memory(node))
            regions[region_count++] = memory_on(node, REGION);
    start_workers((unsigned)atoi(argv[1]));
    struct perf_event_attr by_task = event_encode(argv[2]), by_cpu = by_task;
    by_task.inherit = 1;
    int tasks[THREADS], cores[LAB_CPUS];
    for (int i = 0; i < THREADS; i++)
        if ((tasks[i] = event_open(&by_task, workers[i].tid, -1, -1)) < 0)
            fail("an event by task");
    for (int cpu = 1; cpu < cpus; cpu++)
        if ((cores[cpu] = event_open(&by_cpu, -1, cpu, -1)) < 0)
            fail("an event by CPU");
    for (int i = 0; i < THREADS; i++)
        event_enable(tasks[i]);
    for (int cpu = 1; cpu < cpus; cpu++)
        event_enable(cores[cpu]);
    struct matrix before, after;
    add_hardware(&before);
    for (int i = 0; i < THREADS; i++)
        if (write(workers[i].start[1], "", 1) != 1)
            fail("write");
    wait_for_workers();
    add_hardware(&after);
    after = matrix_less(after, &before);
    uint64_t task_sum = 0, cpu_sum = 0;
    for (int i = 0; i < THREADS; i++)
        task_sum += event_read(tasks[i]);
    for (int cpu = 1; cpu < cpus; cpu++)
        cpu_sum += event_read(cores[cpu]);
    printf("{\"tasks\": %lu, \"cpus\": %lu, \"hardware\": ", task_sum, cpu_sum);
    matrix_print(&after, LAB_USER);
    printf("}\n");
    return 0;
}
