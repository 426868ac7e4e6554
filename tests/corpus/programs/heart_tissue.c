// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fifth
// truth: excitation of heart muscle on an irregular triangulated shell of 98304 nodes: main alone writes all memory first (malloc touches nothing), in four helpers: the graph in count_links and fill_links (CSR: first, 0.4 MiB; neighbour, int, 2.2 MiB), the conductances in set_fibres (double, 4.5 MiB) and the state in set_rest (voltage, next, recovery and excitability, 0.75 MiB each); afterwards each OpenMP thread uses the same block of 12288 nodes and their links in all steps (schedule(static) in diffuse and react), and of other blocks only the voltages of a ring of 128 nodes on either side; the two buffers of the voltage are swapped but divided alike; half of the requests are remote, nearly all of them would go if each thread wrote its nodes and their links first
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RINGS = 768, AROUND = 128, NODES = RINGS * AROUND, STEPS = 50 };

struct tissue {
    int *first, *neighbour;
    double *conductance;
    double *voltage, *next, *recovery, *excitability;
};

struct link {
    int a, b;
};

// The links that start at a node: on its ring, to the next ring, and the diagonal of the square between.
static int links_from(int node, struct link link[3])
{
    int ring = node / AROUND, place = node % AROUND;
    int right = ring * AROUND + (place + 1) % AROUND;

    link[0] = (struct link){node, right};
    if (ring + 1 == RINGS)
        return 1;
    link[1] = (struct link){node, node + AROUND};
    if (((unsigned)node * 2654435761u >> 13) & 1)
        link[2] = (struct link){node, right + AROUND};
    else
        link[2] = (struct link){right, node + AROUND};
    return 3;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = malloc(count * size);
    if (memory == NULL) {
        perror("malloc");
        exit(1);
    }
    return memory;
}

static void count_links(struct tissue *t)
{
    struct link link[3];

    t->first = allocate(NODES + 1, sizeof *t->first);
    for (int n = 0; n <= NODES; n++)
        t->first[n] = 0;
    for (int n = 0; n < NODES; n++)
        for (int l = links_from(n, link) - 1; l >= 0; l--) {
            t->first[link[l].a + 1]++;
            t->first[link[l].b + 1]++;
        }
    for (int n = 0; n < NODES; n++)
        t->first[n + 1] += t->first[n];
}

// Takes first as the place to fill next, and sets it back at the end.
static void fill_links(struct tissue *t)
{
    struct link link[3];

    t->neighbour = allocate((size_t)t->first[NODES], sizeof *t->neighbour);
    for (int n = 0; n < NODES; n++)
        for (int l = links_from(n, link) - 1; l >= 0; l--) {
            t->neighbour[t->first[link[l].a]++] = link[l].b;
            t->neighbour[t->first[link[l].b]++] = link[l].a;
        }
    for (int n = NODES; n > 0; n--)
        t->first[n] = t->first[n - 1];
    t->first[0] = 0;
}

static void set_fibres(struct tissue *t)
{
    t->conductance = allocate((size_t)t->first[NODES], sizeof *t->conductance);
    for (int n = 0; n < NODES; n++)
        for (int k = t->first[n]; k < t->first[n + 1]; k++) {
            int other = t->neighbour[k], on_ring = other / AROUND == n / AROUND;
            double turn = 0.5 + 0.5 * cos(0.004 * (n / AROUND + other / AROUND)); // the fibres wind upwards
            t->conductance[k] = 0.03 + 0.06 * (on_ring ? turn : other % AROUND == n % AROUND ? 1 - turn : 0.5);
        }
}

static void set_rest(struct tissue *t)
{
    t->voltage = allocate(NODES, sizeof *t->voltage);
    t->next = allocate(NODES, sizeof *t->next);
    t->recovery = allocate(NODES, sizeof *t->recovery);
    t->excitability = allocate(NODES, sizeof *t->excitability);
    for (int n = 0; n < NODES; n++) {
        int ring = n / AROUND, place = n % AROUND;
        t->voltage[n] = t->next[n] = ring % 96 < 8 ? 0.9 : 0; // paced in eight places
        t->recovery[n] = 0;
        t->excitability[n] = hypot(ring % 192 - 90, place - 60) < 20 ? 1.5 : 8; // scars
    }
}

static void diffuse(const struct tissue *t)
{
#pragma omp for schedule(static)
    for (int n = 0; n < NODES; n++) {
        double v = t->voltage[n], flow = 0;
        for (int k = t->first[n]; k < t->first[n + 1]; k++)
            flow += t->conductance[k] * (t->voltage[t->neighbour[k]] - v);
        t->next[n] = v + flow;
    }
}

// The model of Aliev and Panfilov.
static void react(struct tissue *t, double dt)
{
#pragma omp for schedule(static)
    for (int n = 0; n < NODES; n++) {
        double v = t->next[n], r = t->recovery[n], k = t->excitability[n];
        double rate = 0.002 + 0.2 * r / (v + 0.3);
        t->recovery[n] = r + dt * rate * (-r - k * v * (v - 1.15));
        t->next[n] = v + dt * (-k * v * (v - 0.15) * (v - 1) - v * r);
    }
}

int main(void)
{
    struct tissue t;
    int excited = 0;

    count_links(&t);
    fill_links(&t);
    set_fibres(&t);
    set_rest(&t);
#pragma omp parallel num_threads(8)
    for (int step = 0; step < STEPS; step++) {
        diffuse(&t);
        react(&t, 0.1);
#pragma omp single
        {
            double *old = t.voltage;
            t.voltage = t.next;
            t.next = old;
        }
    }
    for (int n = 0; n < NODES; n += 16)
        excited += t.voltage[n] > 0.5;
    printf("%d of %d nodes excited\n", excited, NODES / 16);
    return 0;
}
