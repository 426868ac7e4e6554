// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, eighteenth
// truth: main reads a mesh by fread: elements (posix_memalign, 16.8 MiB of records) go to eight pthreads by ranges in every load step; nodes (mmap, 6 MiB, numbered at random) are gathered by all threads from anywhere and moved by ranges at the end of a step
// fix: parts, spread
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
/* Explicit finite elements of an unstructured mesh: strain energy of tetrahedra under load steps. */

enum { SIDE = 32, NODES = 6 * SIDE * SIDE * SIDE, ELEMENTS = 220000, THREADS = 8, STEPS = 24 };

struct node {
    float x[3], load[3], stiff, weight;
};

struct element {
    uint32_t node[4];
    float rest[6], energy;
    float history[9];
};

struct mesh {
    struct node *nodes;
    struct element *elements;
};

static struct mesh mesh;
static pthread_barrier_t step_done;
static int64_t energy[THREADS];

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void write_mesh(FILE *file)
{
    uint64_t state = 99;
    for (uint32_t n = 0; n < NODES; n++) {
        float x[3] = {(float)(draw(&state) % 1000) / 1000, (float)(draw(&state) % 1000) / 1000,
                      (float)(draw(&state) % 1000) / 1000};
        fwrite(x, sizeof x, 1, file);
    }
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        uint32_t corner[4];
        for (int c = 0; c < 4; c++)
            corner[c] = draw(&state) % NODES;
        fwrite(corner, sizeof corner, 1, file);
    }
    rewind(file);
}

static void allocate(struct mesh *m)
{
    void *memory;
    if (posix_memalign(&memory, 64, ELEMENTS * sizeof(struct element)) != 0)
        exit(1);
    m->elements = memory;
    m->nodes = mmap(NULL, NODES * sizeof *m->nodes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m->nodes == MAP_FAILED)
        exit(1);
}

static void read_nodes(struct mesh *m, FILE *file)
{
    for (struct node *n = m->nodes; n < m->nodes + NODES; n++) {
        if (fread(n->x, sizeof n->x, 1, file) != 1)
            exit(1);
        n->stiff = 1 + n->x[0];
        n->weight = 0.001f;
    }
}

static void read_elements(struct mesh *m, FILE *file)
{
    for (struct element *e = m->elements; e < m->elements + ELEMENTS; e++) {
        if (fread(e->node, sizeof e->node, 1, file) != 1)
            exit(1);
        for (int i = 0; i < 6; i++)
            e->rest[i] = 0.3f;
        for (int i = 0; i < 9; i++)
            e->history[i] = 0;
        e->energy = 0;
    }
}

static void deform(struct element *e, const struct node *nodes, int step)
{
    static const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    float sum = 0;
    for (int i = 0; i < 6; i++) {
        const struct node *a = &nodes[e->node[edge[i][0]]], *b = &nodes[e->node[edge[i][1]]];
        float d = 0;
        for (int k = 0; k < 3; k++)
            d += (a->x[k] - b->x[k]) * (a->x[k] - b->x[k]);
        sum += (a->stiff + b->stiff) * (d - e->rest[i]) * (d - e->rest[i]);
        e->rest[i] += 0.01f * (d - e->rest[i]);
    }
    e->history[step % 9] = sum;
    e->energy += 0.1f * (sum - e->energy);
}

static void *solve(void *argument)
{
    long t = (long)argument;
    for (int step = 0; step < STEPS; step++) {
        int64_t sum = 0;
        for (long e = ELEMENTS * t / THREADS; e < ELEMENTS * (t + 1) / THREADS; e++) {
            deform(&mesh.elements[e], mesh.nodes, step);
            sum += (int64_t)(mesh.elements[e].energy * 1e4f);
        }
        energy[t] += sum;
        pthread_barrier_wait(&step_done);
        for (long n = (long)NODES * t / THREADS; n < (long)NODES * (t + 1) / THREADS; n++)
            for (int k = 0; k < 3; k++)
                mesh.nodes[n].x[k] += mesh.nodes[n].weight * (0.5f - mesh.nodes[n].x[k]);
        pthread_barrier_wait(&step_done);
    }
    return NULL;
}

int main(void)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return 1;
    write_mesh(file);
    allocate(&mesh);
    read_nodes(&mesh, file);
    read_elements(&mesh, file);
    fclose(file);
    pthread_barrier_init(&step_done, NULL, THREADS);
    pthread_t threads[THREADS];
    for (long t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, solve, (void *)t) != 0)
            return 1;
    int64_t total = 0;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        total += energy[t];
    }
    printf("energy %ld centre %.6f\n", (long)total, (double)mesh.nodes[NODES / 2].x[1]);
    munmap(mesh.nodes, NODES * sizeof *mesh.nodes);
    free(mesh.elements);
}
