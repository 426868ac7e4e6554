// SPDX-License-Identifier: Apache-2.0
// Threads allocate, resize, free and map large blocks by chance, also those of each other, and children go on with what
// they inherited:  placed_at_random [STEPS [SEED]].  Exits with 1 if a block does not hold its pattern.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, SLOTS = 64, PAGE = 4096, SMALLEST = 40 << 10, LARGEST = 6 << 20, FORKS_OF = 512 };

static struct slot {
    pthread_mutex_t lock;
    unsigned char *block;
    size_t bytes;
    unsigned char mark;
    int is_mapping;
} slots[SLOTS];

static long steps;
static uint64_t seed;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                    \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

// As chance.h, but of each thread.
static uint64_t chance(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

// The first and the last byte of each page that the block has bytes of.
static void mark(const struct slot *slot)
{
    for (size_t at = 0; at < slot->bytes; at += PAGE)
        slot->block[at] = slot->mark;
    slot->block[slot->bytes - 1] = slot->mark;
}

static void check(const struct slot *slot, size_t bytes)
{
    for (size_t at = 0; at < bytes && at < slot->bytes; at += PAGE)
        CHECK(slot->block[at] == slot->mark);
    CHECK(bytes < slot->bytes || slot->block[slot->bytes - 1] == slot->mark);
}

static void check_zero(const struct slot *slot)
{
    for (size_t at = 0; at < slot->bytes; at += PAGE / 2)
        CHECK(slot->block[at] == 0);
}

static void release(struct slot *slot)
{
    if (!slot->block)
        return;
    check(slot, slot->bytes);
    if (slot->is_mapping)
        CHECK(munmap(slot->block, slot->bytes) == 0);
    else
        free(slot->block);
    slot->block = NULL;
}

static __attribute__((noinline)) void allocate(struct slot *slot, size_t bytes, uint64_t way)
{
    const size_t alignment = (size_t)16 << (way >> 8) % 18; // up to 2 MiB
    void *block = NULL;
    release(slot);
    slot->bytes = bytes;
    slot->mark = (unsigned char)(way >> 16 | 1);
    slot->is_mapping = way % 6 == 5;
    switch (way % 6) {
    case 0: slot->block = malloc(bytes); break;
    case 1: slot->block = calloc(bytes / 16, 16); slot->bytes = bytes / 16 * 16; break;
    case 2: slot->block = aligned_alloc(alignment, bytes); break;
    case 3: CHECK(posix_memalign(&block, alignment, bytes) == 0); slot->block = block; break;
    case 4: slot->block = realloc(NULL, bytes); break;
    default:
        slot->bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
        slot->block = mmap(NULL, slot->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(slot->block != MAP_FAILED);
    }
    CHECK(slot->block);
    CHECK((way % 6 != 2 && way % 6 != 3) || (uintptr_t)slot->block % alignment == 0);
    if (way % 6 == 1 || slot->is_mapping)
        check_zero(slot);
    if (!slot->is_mapping)
        CHECK((uintptr_t)slot->block % 16 == 0 && malloc_usable_size(slot->block) >= slot->bytes);
    mark(slot);
}

static __attribute__((noinline)) void resize(struct slot *slot, size_t bytes)
{
    size_t before = slot->bytes;
    check(slot, before);
    if (slot->is_mapping) {
        slot->bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
        if (mremap(slot->block, before, slot->bytes, 0) == MAP_FAILED)
            slot->block = mremap(slot->block, before, slot->bytes, MREMAP_MAYMOVE);
        CHECK(slot->block != MAP_FAILED);
    } else {
        if (slot->mark % 8 == 1) // the kernel cannot move such memory in one piece
            madvise((void *)(((uintptr_t)slot->block | (PAGE - 1)) + 1), PAGE, MADV_DONTDUMP);
        slot->bytes = bytes;
        slot->block = realloc(slot->block, bytes);
        CHECK(slot->block && malloc_usable_size(slot->block) >= bytes);
    }
    for (size_t at = 0; at < before && at < slot->bytes; at += PAGE)
        CHECK(slot->block[at] == slot->mark);
    mark(slot);
}

// Parts of a mapping go by calls that are too small to be noticed, the rest in one piece.
static void shorten(struct slot *slot)
{
    check(slot, slot->bytes);
    for (; slot->bytes > SMALLEST; slot->block += PAGE * 8, slot->bytes -= (size_t)PAGE * 8)
        CHECK(munmap(slot->block, (size_t)PAGE * 8) == 0);
    release(slot);
}

static void step(uint64_t *state)
{
    struct slot *slot = &slots[chance(state) % SLOTS];
    size_t bytes = SMALLEST + chance(state) % (LARGEST - SMALLEST) / (1 + chance(state) % 20);
    uint64_t what = chance(state) % 16;
    pthread_mutex_lock(&slot->lock);
    if (!slot->block || what < 6)
        allocate(slot, bytes, chance(state));
    else if (what < 11)
        resize(slot, chance(state) % 2 && slot->bytes < LARGEST ? slot->bytes + slot->bytes / 2 : bytes);
    else if (what == 11 && slot->is_mapping)
        shorten(slot);
    else
        release(slot);
    pthread_mutex_unlock(&slot->lock);
}

// A child owns the slots that no other thread was using when it was made.
static void go_on_in_child(uint64_t state)
{
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    for (int i = 0; child == 0 && i < SLOTS; i++)
        if (pthread_mutex_trylock(&slots[i].lock) == 0) {
            pthread_mutex_unlock(&slots[i].lock);
            if (slots[i].block && !slots[i].is_mapping && chance(&state) % 2)
                resize(&slots[i], SMALLEST + chance(&state) % LARGEST);
            release(&slots[i]);
        }
    if (child == 0)
        _exit(0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void *work(void *number)
{
    uint64_t state = seed * 1000003 + (uintptr_t)number + 1;
    for (int i = 0; i < 8; i++)
        chance(&state);
    for (long i = 0; i < steps; i++) {
        step(&state);
        if (chance(&state) % FORKS_OF == 0)
            go_on_in_child(state);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    steps = argc > 1 ? atol(argv[1]) : 2000;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (int i = 0; i < SLOTS; i++)
        pthread_mutex_init(&slots[i].lock, NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        release(&slots[i]);
    puts("all right");
    return 0;
}
