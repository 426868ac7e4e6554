// truth: main alone loads the order rows and builds the hash index; afterwards each pthread scans its own range of the orders for all queries, and probes the whole index at random
// fix: parts, spread
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CUSTOMERS (1u << 18)
#define SLOT_BITS 19
#define ORDERS (3u << 18)
#define REGIONS 16
#define NTHREADS 8
#define NQUERIES 8

typedef struct {
    uint32_t key; /* 0: free */
    uint32_t region;
    uint64_t credit;
} slot_t;

typedef struct {
    uint32_t customer, cents, day, item;
    uint64_t note[2];
} order_t;

typedef struct {
    uint32_t from_cents, to_day;
    uint64_t min_credit;
} query_t;

typedef struct {
    order_t *orders;
    size_t norders;
    slot_t *index;
} database_t;

typedef struct {
    pthread_t thread;
    const database_t *db;
    size_t lo, hi;
    uint64_t revenue[NQUERIES][REGIONS];
} worker_t;

static const query_t queries[NQUERIES] = {
    {0, 365, 0}, {500, 365, 100}, {900, 300, 0}, {0, 330, 400}, {1500, 365, 10}, {100, 350, 0}, {2000, 365, 0}, {50, 364, 50},
};

static void *zalloc(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static inline uint32_t bucket(uint32_t key)
{
    return (key ^ (key >> 15)) * 2654435761u >> (32 - SLOT_BITS);
}

static void build_index(database_t *db)
{
    const uint32_t mask = (1u << SLOT_BITS) - 1;
    db->index = zalloc((size_t)mask + 1, sizeof(slot_t));
    for (uint32_t i = 0; i < CUSTOMERS; i++) {
        const uint32_t key = 2 * i + 1;
        uint32_t b = bucket(key);
        while (db->index[b].key)
            b = (b + 1) & mask;
        db->index[b] = (slot_t){key, i % REGIONS, mix(i) % 1000};
    }
}

static void load_orders(database_t *db)
{
    db->norders = ORDERS;
    db->orders = zalloc(db->norders, sizeof(order_t));
    for (size_t i = 0; i < db->norders; i++) {
        const uint64_t r = mix(i + 77);
        order_t *o = &db->orders[i];
        o->customer = (uint32_t)(2 * (r % CUSTOMERS) + 1);
        o->cents = (r >> 20) % 10000;
        o->day = (r >> 36) % 365;
        o->item = (uint32_t)(r >> 48);
        o->note[0] = r;
    }
}

static const slot_t *lookup(const slot_t *index, uint32_t key)
{
    uint32_t b = bucket(key);
    while (index[b].key != key) {
        if (!index[b].key)
            return NULL;
        b = (b + 1) & ((1u << SLOT_BITS) - 1);
    }
    return &index[b];
}

static void *execute(void *arg)
{
    worker_t *w = arg;
    for (int q = 0; q < NQUERIES; q++) {
        const query_t want = queries[q];
        uint64_t sum[REGIONS] = {0};
        for (size_t i = w->lo; i < w->hi; i++) {
            const order_t *o = &w->db->orders[i];
            if (o->cents < want.from_cents || o->day > want.to_day)
                continue;
            const slot_t *c = lookup(w->db->index, o->customer);
            if (c && c->credit >= want.min_credit)
                sum[c->region] += o->cents + (o->note[0] & 7);
        }
        for (int r = 0; r < REGIONS; r++)
            w->revenue[q][r] = sum[r];
    }
    return NULL;
}

int main(void)
{
    database_t db;
    worker_t *team = zalloc(NTHREADS, sizeof *team);
    build_index(&db);
    load_orders(&db);
    for (int t = 0; t < NTHREADS; t++) {
        team[t].db = &db;
        team[t].lo = db.norders * t / NTHREADS;
        team[t].hi = db.norders * (t + 1) / NTHREADS;
        if (pthread_create(&team[t].thread, NULL, execute, &team[t]))
            abort();
    }
    for (int t = 0; t < NTHREADS; t++)
        pthread_join(team[t].thread, NULL);
    for (int q = 0; q < NQUERIES; q++) {
        uint64_t digest = 0;
        for (int t = 0; t < NTHREADS; t++)
            for (int r = 0; r < REGIONS; r++)
                digest += team[t].revenue[q][r] * (r + 1);
        printf("query %d: %llu\n", q, (unsigned long long)digest);
    }
    free(db.orders);
    free(db.index);
    free(team);
}
