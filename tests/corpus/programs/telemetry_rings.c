// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: main allocates and clears 48 rings of 1 MiB; each is used by one thread alone (channel modulo threads)
// fix: parts
/* Telemetry decoder: each channel has a ring buffer of samples.  A pthread
 * serves the channels whose number modulo the number of threads is its own:
 * it receives a burst into the ring, then filters the ring's whole history. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 48
#define RING_LEN (1u << 18)
#define BURST (RING_LEN / 4)
#define ROUNDS 7

typedef struct ring {
    int32_t *sample;
    uint32_t head;
    uint32_t seed;
    int32_t level;
    uint64_t alarms;
    char pad[64];
} ring_t;

typedef struct station {
    ring_t channel[CHANNELS];
    int servers;
} station_t;

typedef struct server {
    pthread_t thread;
    station_t *station;
    int rank;
} server_t;

static void ring_open(ring_t *r, uint32_t id)
{
    r->sample = aligned_alloc(4096, RING_LEN * sizeof(int32_t));
    if (!r->sample)
        abort();
    memset(r->sample, 0, RING_LEN * sizeof(int32_t));
    r->head = 0;
    r->seed = 12345u + 977u * id;
    r->level = (int32_t)id * 10;
    r->alarms = 0;
}

static void ring_close(ring_t *r)
{
    free(r->sample);
    r->sample = NULL;
}

static void receive(ring_t *r)
{
    for (uint32_t k = 0; k < BURST; k++) {
        r->seed = r->seed * 1103515245u + 12345u;
        r->level += (int32_t)(r->seed >> 28) - 7;
        r->sample[r->head] = r->level;
        r->head = (r->head + 1) & (RING_LEN - 1);
    }
}

static void filter(ring_t *r)
{
    int32_t slow = 0, fast = 0;
    uint32_t at = r->head;
    for (uint32_t k = 0; k < RING_LEN; k++) {
        int32_t v = r->sample[at];
        at = (at + 1) & (RING_LEN - 1);
        slow += (v - slow) / 64;
        fast += (v - fast) / 4;
        r->alarms += (uint64_t)(fast - slow > 12);
    }
    r->alarms += (uint64_t)(slow & 1023);
}

static void *serve(void *arg)
{
    server_t *me = arg;
    station_t *st = me->station;
    for (int round = 0; round < ROUNDS; round++) {
        for (int c = me->rank; c < CHANNELS; c += st->servers) {
            receive(&st->channel[c]);
            filter(&st->channel[c]);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *env = getenv("OMP_NUM_THREADS");
    int nt = argc > 1 ? atoi(argv[1]) : env ? atoi(env) : 8;
    static station_t station;
    server_t servers[64];
    uint64_t sum = 0;

    if (nt < 1 || nt > 64)
        nt = 8;
    station.servers = nt;
    for (int c = 0; c < CHANNELS; c++)
        ring_open(&station.channel[c], (uint32_t)c);
    for (int t = 0; t < nt; t++) {
        servers[t].station = &station;
        servers[t].rank = t;
        pthread_create(&servers[t].thread, NULL, serve, &servers[t]);
    }
    for (int t = 0; t < nt; t++)
        pthread_join(servers[t].thread, NULL);
    for (int c = 0; c < CHANNELS; c++) {
        sum = sum * 33 + station.channel[c].alarms;
        ring_close(&station.channel[c]);
    }
    printf("checksum %llu\n", (unsigned long long)sum);
    return 0;
}
