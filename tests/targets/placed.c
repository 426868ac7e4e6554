// SPDX-License-Identifier: Apache-2.0
// Allocates large blocks in every way that the C library offers, uses them as a program may, and checks what it gets.
// Exits with the number of the check that failed, 0: none.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                    \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

extern void free_sized(void *block, size_t bytes) __attribute__((weak)); // C23
static char variable[BYTES];

static void check_block(char *block, size_t bytes, size_t alignment)
{
    CHECK(block && (uintptr_t)block % alignment == 0);
    CHECK(malloc_usable_size(block) >= bytes);
    memset(block, 7, malloc_usable_size(block));
}

static __attribute__((noinline)) void aligned_blocks(void)
{
    void *block = NULL;
    check_block(block = aligned_alloc(4096, BYTES), BYTES, 4096);
    free(block);
    check_block(block = memalign(1 << 21, BYTES), BYTES, 1 << 21);
    free(block);
    check_block(block = valloc(BYTES), BYTES, 4096);
    if (free_sized)
        free_sized(block, BYTES);
    else
        free(block);
    CHECK(posix_memalign(&block, 64, BYTES) == 0);
    check_block(block, BYTES, 64);
    free(block);
    CHECK(posix_memalign(&block, 3, BYTES) == EINVAL);
}

static __attribute__((noinline)) void zeroed_block(void)
{
    char *block = calloc(BYTES / 8, 8);
    for (size_t i = 0; i < BYTES; i++)
        CHECK(block[i] == 0);
    check_block(block, BYTES, 16);
    free(block);
    volatile size_t too_many = SIZE_MAX / BYTES + 2; // overflows to a size that is placed
    CHECK(calloc(too_many, BYTES) == NULL);
}

// A vector that doubles, then shrinks below what is large.
static __attribute__((noinline)) void growing_block(void)
{
    char *block = NULL;
    for (size_t bytes = 1024, before = 0; bytes <= 8 * BYTES; before = bytes, bytes *= 2) {
        block = realloc(block, bytes);
        check_block(block, 0, 16);
        memset(block + before, (int)(bytes >> 10), bytes - before);
        for (size_t i = 0; i < before; i++)
            block[i] = 7;
    }
    for (size_t i = 0; i < 4 * BYTES; i++)
        block[i] = (char)i;
    block = realloc(block, 2 * BYTES);
    block = realloc(block, 100);
    for (size_t i = 0; i < 100; i++)
        CHECK(block[i] == (char)i);
    free(block);
    CHECK(realloc(malloc(BYTES), SIZE_MAX / 2) == NULL);
}

// Freed blocks come again: zeroed only where calloc asks.
static __attribute__((noinline)) void reused_blocks(void)
{
    for (int i = 0; i < 100; i++) {
        char *block = malloc(BYTES), *other = calloc(1, BYTES);
        for (size_t at = 0; at < BYTES; at += 512)
            CHECK(other[at] == 0);
        check_block(block, BYTES, 16);
        check_block(other, BYTES, 16);
        free(block);
        free(other);
    }
}

// Its page has the number of NULL's in the filter of the preload library: free(NULL) must not touch what it noted.
static __attribute__((noinline)) void block_like_null(void)
{
    char *block = memalign(1 << 27, BYTES);
    check_block(block, BYTES, 1 << 27);
    void *volatile nothing = NULL; // a plain free(NULL) is left out by the compiler
    for (int i = 0; i < 4; i++)
        free(nothing);
    free(block);
}

static void *thread_block(void *unused)
{
    (void)unused;
    char *block = malloc(BYTES);
    check_block(block, BYTES, 16);
    return block;
}

// Freed by another thread than the one that allocated it, after that has ended.
static __attribute__((noinline)) void thread_blocks(void)
{
    pthread_t threads[4];
    void *blocks[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, thread_block, NULL) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &blocks[i]);
        free(blocks[i]);
    }
}

static __attribute__((noinline)) void forked_block(void)
{
    int status;
    char *block = malloc(BYTES);
    memset(block, 1, BYTES);
    pid_t child = fork();
    if (child == 0) {
        CHECK(block[BYTES - 1] == 1);
        block = realloc(block, 2 * BYTES);
        CHECK(block[BYTES - 1] == 1);
        block[0] = 2;
        free(block);
        check_block(block = malloc(BYTES), BYTES, 16);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(block[0] == 1);
    free(block);
}

static __attribute__((noinline)) void mapped(void)
{
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    memset(memory, 1, BYTES);
    memory = mremap(memory, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
    CHECK(memory != MAP_FAILED && memory[BYTES - 1] == 1 && memory[BYTES] == 0);
    CHECK(munmap(memory, BYTES) == 0 && munmap(memory + BYTES, BYTES) == 0);
}

int main(void)
{
    errno = 5;
    char *kept = malloc(BYTES); // not freed: looked up when the program ends
    CHECK(errno == 5);
    check_block(kept, BYTES, 16);
    memset(variable, 1, sizeof variable);
    aligned_blocks();
    zeroed_block();
    growing_block();
    reused_blocks();
    block_like_null();
    thread_blocks();
    forked_block();
    mapped();
    puts("all right");
    return 0;
}
