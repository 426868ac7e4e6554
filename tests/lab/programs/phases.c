// SPDX-License-Identifier: Apache-2.0
// Threads whose memory traffic changes with time, and what the hardware counted of each: phases KIND ROUNDS CPU...
// A round of a thread reads, streams and writes memory of the first or the last node; KIND says of which when:
//   steady   two rounds in three near, evenly
//   thirds   near, then far, then by turns
//   bursts   in runs of random length, a quarter of them far; every third run is four times as dense
// Prints one JSON line for each thread: its tid, and the requests of its CPU at user level, [class][outcome].
#include "lab.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIECE = 16 << 10, BUFFER = 8 << 20, MOST = 16, SPARSE = 60, DENSE = 15, LONGEST = 40 };

struct worker {
    pthread_t thread;
    int cpu, tid;
    const char *kind;
    size_t rounds;
    char *near, *far;
    struct matrix counted;
};

static pthread_barrier_t ready;

// A third each: loads in no order, a stream of loads, stores in no order.
static void piece(char *memory, size_t number, size_t waits)
{
    volatile char *at = memory + number * PIECE % BUFFER;
    size_t lines = PIECE / LINE;
    for (size_t i = 0; i < lines; i++) {
        size_t line = number / 3 % 3 == 1 ? i : i * 97 % lines;
        if (number / 3 % 3 == 2)
            at[line * LINE] = 1;
        else
            (void)at[line * LINE];
        for (size_t wait = 0; wait < waits; wait++)
            __asm__ volatile("" : : "r"(wait));
    }
}

struct burst {
    size_t left, number;
    uint64_t random;
    bool far;
};

static bool burst_next(struct burst *burst)
{
    if (burst->left == 0) {
        burst->random = burst->random * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX
        burst->left = 1 + (burst->random >> 33) % LONGEST;
        burst->far = (burst->random >> 50) % 4 == 0;
        burst->number++;
    }
    burst->left--;
    return burst->far;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct burst burst = {.random = (uint64_t)worker->cpu + 1};
    pin(worker->cpu);
    worker->tid = (int)syscall(SYS_gettid);
    pthread_barrier_wait(&ready);
    struct matrix before = matrix_of(worker->cpu);
    for (size_t round = 0; round < worker->rounds; round++) {
        bool far = round % 3 == 2, dense = false;
        if (strcmp(worker->kind, "thirds") == 0)
            far = round * 3 / worker->rounds == 1 || (round * 3 / worker->rounds == 2 && round % 2);
        else if (strcmp(worker->kind, "bursts") == 0) {
            far = burst_next(&burst);
            dense = burst.number % 3 == 0;
        }
        piece(far ? worker->far : worker->near, round, dense ? DENSE : SPARSE);
    }
    worker->counted = matrix_less(matrix_of(worker->cpu), &before);
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker workers[MOST];
    int count = argc - 3;
    if (count < 1 || count > MOST)
        fail("usage: phases KIND ROUNDS CPU...");
    pthread_barrier_init(&ready, NULL, (unsigned)count);
    matrix_of(atoi(argv[3])); // maps the hardware's counters before threads need them
    for (int i = 0; i < count; i++) {
        int cpu = atoi(argv[3 + i]);
        workers[i] = (struct worker){.cpu = cpu, .kind = argv[1], .rounds = strtoul(argv[2], NULL, 10)};
        matrix_of(cpu);
        workers[i].near = memory_on(node_of(cpu), BUFFER);
        workers[i].far = memory_on(!node_of(cpu), BUFFER);
    }
    for (int i = 0; i < count; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            fail("pthread_create");
    for (int i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        printf("{\"tid\": %d, \"requests\": ", workers[i].tid);
        matrix_print(&workers[i].counted, LAB_USER);
        printf("}\n");
    }
    return 0;
}
