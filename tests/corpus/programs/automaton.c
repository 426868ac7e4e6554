// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: an Aho-Corasick automaton that main builds in an mmap'ed arena; every thread walks all of it as its text says
// fix: spread
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 8, LETTERS = 16, WORDS = 40000, LENGTH = 6, STATES = WORDS * LENGTH / 2, TEXT = 1600000 };

struct state {
    int32_t next[LETTERS];
};

struct arena {
    char *base;
    size_t used, size;
};

static struct state *states;
static int32_t *fail;
static uint8_t *ends, *text;
static int count = 1;
static long found[THREADS];

static uint32_t draw(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed ^= *seed << 5;
}

static void *take(struct arena *arena, size_t bytes)
{
    void *block = arena->base + arena->used;
    arena->used += (bytes + 63) / 64 * 64;
    if (arena->used > arena->size)
        abort();
    return block;
}

static void insert(uint32_t *seed)
{
    int at = 0;
    for (int i = 0; i < LENGTH; i++) {
        int32_t *next = &states[at].next[draw(seed) % LETTERS];
        if (!*next && count < STATES)
            *next = count++;
        at = *next;
    }
    ends[at] = at != 0;
}

static void link_states(void)
{
    int *queue = malloc(STATES * sizeof *queue), head = 0, tail = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int at = queue[head++];
        for (int c = 0; c < LETTERS; c++) {
            int to = states[at].next[c], other = at ? states[fail[at]].next[c] : 0;
            if (to) {
                fail[to] = other;
                ends[to] |= ends[other];
                queue[tail++] = to;
            } else {
                states[at].next[c] = other;
            }
        }
    }
    free(queue);
}

static void *search(void *argument)
{
    size_t me = (size_t)argument, from = (size_t)TEXT * me / THREADS, to = (size_t)TEXT * (me + 1) / THREADS;
    long matches = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = from, at = 0; i < to; i++) {
            at = (size_t)states[at].next[text[i]];
            matches += ends[at];
        }
    found[me] = matches;
    return NULL;
}

int main(void)
{
    struct arena arena = {.size = (size_t)STATES * (sizeof(struct state) + 5) + TEXT + 4096};
    arena.base = mmap(NULL, arena.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena.base == MAP_FAILED)
        return 1;
    states = take(&arena, STATES * sizeof *states);
    fail = take(&arena, STATES * sizeof *fail);
    ends = take(&arena, STATES);
    text = take(&arena, TEXT);
    uint32_t seed = 1;
    for (int word = 0; word < WORDS; word++)
        insert(&seed);
    link_states();
    for (int i = 0; i < TEXT; i++)
        text[i] = draw(&seed) % LETTERS;
    pthread_t team[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&team[t], NULL, search, (void *)t);
    long sum = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(team[t], NULL);
        sum += found[t];
    }
    printf("%d %ld\n", count, sum);
}
