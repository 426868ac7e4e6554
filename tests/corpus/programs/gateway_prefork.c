// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-sixth
// truth: an order gateway of eight processes, forked by main, worker i bound to CPU i; two shared anonymous mappings, made and first written by the parent before fork(): the accounts (98304 of 64 bytes, 6 MiB, set in load_accounts) are looked up and booked at random by all workers, and the journals (eight of 512 KiB, 4 MiB, "prefaulted" by memset in open_journals) are each written and then read by their own worker only, in all of 24 sessions (a third mapping of one page holds their counts); half of all requests are remote, and the parent's node serves everyone; journals: each worker should prefault its own after it is bound, which makes nearly all of their requests (more than half of all) local; accounts: spread over the nodes, half of their requests stay remote but both nodes serve them
// fix: parts, spread
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 8, ACCOUNTS = 98304, ENTRIES = 8192, SESSIONS = 24 };

struct account {
    _Alignas(64) _Atomic int64_t exposure; // in cents
    int64_t collateral;
    uint32_t number, largest_order, suspended;
};

struct entry {
    _Alignas(64) uint64_t sequence;
    int32_t quantity, price;
    uint32_t account, accepted;
    char client_id[36];
    uint32_t check;
};

struct worker_stats {
    _Alignas(64) uint64_t accepted, torn;
};

// The workers inherit these.
static struct account *accounts;
static struct entry (*journals)[ENTRIES];
static struct worker_stats *stats;

static void *map_shared(size_t bytes)
{
    void *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return area != MAP_FAILED ? area : (exit(EXIT_FAILURE), NULL);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void load_accounts(void)
{
    uint64_t state = 88172645463325252u;
    accounts = map_shared(sizeof *accounts * ACCOUNTS);
    for (uint32_t a = 0; a < ACCOUNTS; a++) {
        uint64_t draw = next_random(&state);
        accounts[a].number = 100000 + a;
        accounts[a].largest_order = 200 + 150 * (uint32_t)(draw % 5);
        accounts[a].collateral = 1000000 + (int64_t)(draw >> 40);
        accounts[a].suspended = (draw >> 8) % 50 == 0;
    }
}

static void open_journals(void)
{
    journals = map_shared(sizeof *journals * WORKERS);
    // No page faults in trading hours.
    memset(journals, 0, sizeof *journals * WORKERS);
}

static uint32_t check_of(const struct entry *e)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < offsetof(struct entry, check); i++)
        hash = (hash ^ ((const unsigned char *)e)[i]) * 16777619u;
    return hash;
}

static void trade(struct entry *journal, uint64_t *state, uint64_t first)
{
    for (uint64_t n = 0; n < ENTRIES; n++) {
        uint64_t order = next_random(state);
        struct entry *e = &journal[n];
        e->account = (uint32_t)(((order >> 32) * ACCOUNTS) >> 32);
        e->quantity = (int32_t)(order >> 12 & 0x3ff) - 512;
        e->price = 1000 + (int32_t)(order >> 3 & 0x7ff);
        e->sequence = first + n;
        memcpy(e->client_id, &order, sizeof order);

        struct account *a = &accounts[e->account];
        int64_t value = (int64_t)e->quantity * e->price;
        e->accepted = !a->suspended && (uint32_t)abs(e->quantity) <= a->largest_order && llabs(value) <= a->collateral;
        if (e->accepted)
            atomic_fetch_add_explicit(&a->exposure, value, memory_order_relaxed);
        e->check = check_of(e);
    }
}

// At the end of a session the journal is replayed for the back office.
static void close_session(const struct entry *journal, struct worker_stats *mine)
{
    for (int n = 0; n < ENTRIES; n++) {
        mine->accepted += journal[n].accepted;
        mine->torn += journal[n].check != check_of(&journal[n]);
    }
}

static int serve(int worker)
{
    uint64_t state = 0x2545f4914f6cdd1du * (uint64_t)(worker + 1);
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(worker, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0 && sysconf(_SC_NPROCESSORS_ONLN) >= WORKERS)
        return EXIT_FAILURE; // a small test machine may go on
    for (uint64_t s = 0; s < SESSIONS; s++) {
        trade(journals[worker], &state, s * ENTRIES);
        close_session(journals[worker], &stats[worker]);
    }
    return EXIT_SUCCESS;
}

int main(void)
{
    uint64_t accepted = 0, failed = 0;
    int status;

    stats = map_shared(sizeof *stats * WORKERS);
    load_accounts();
    open_journals();
    for (int w = 0; w < WORKERS; w++) {
        pid_t child = fork();
        if (child == 0)
            _exit(serve(w));
        failed += child < 0;
    }
    for (int w = 0; w < WORKERS; w++)
        failed += wait(&status) < 0 || status != 0;
    for (int w = 0; w < WORKERS; w++) {
        accepted += stats[w].accepted;
        failed += stats[w].torn;
    }
    printf("%lu accepted, first account at %ld\n", accepted, accounts[0].exposure);
    return failed != 0;
}
