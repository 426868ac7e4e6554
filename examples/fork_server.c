// SPDX-License-Identifier: Apache-2.0
// A server that loads a table and forks its workers, who all look things up in it:  fork_server [MILLION_LOOKUPS [MIB]]
//
// The children inherit the parent's pages, which lie on the parent's node. They only read them, so they stay there.
#define _GNU_SOURCE // CPU_SET
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t *table;
static size_t count;

// xorshift64: Marsaglia, "Xorshift RNGs", 2003.
static uint64_t next_random(uint64_t x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

static int serve(int worker, size_t lookups)
{
    uint64_t x = 88172645463325252u + (uint64_t)worker, sum = 0;
    for (size_t i = 0; i < lookups; i++) {
        x = next_random(x);
        sum += table[x % count];
    }
    return (int)(sum & 1);
}

// A CPU of its own for each worker, as such servers often do.
static void settle_on_cpu(int worker)
{
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET(worker % (int)sysconf(_SC_NPROCESSORS_ONLN), &mine);
    sched_setaffinity(0, sizeof mine, &mine);
}

int main(int argc, char **argv)
{
    enum { WORKERS = 8 };
    size_t lookups = (argc > 1 ? strtoul(argv[1], NULL, 10) : 40) * 1000000 / WORKERS;
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512;
    count = (mib << 20) / sizeof *table;
    table = malloc(count * sizeof *table);
    if (!table)
        return 1;
    for (size_t i = 0; i < count; i++)
        table[i] = i;
    for (int worker = 0; worker < WORKERS; worker++)
        if (fork() == 0) {
            settle_on_cpu(worker);
            _exit(serve(worker, lookups));
        }
    while (wait(NULL) > 0)
        ;
    printf("%d processes looked up %zu times each in %zu MiB\n", WORKERS, lookups, mib);
    return 0;
}
