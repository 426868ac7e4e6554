// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify_access.h"

#include <errno.h>

#include "profiler/measure/kernels/kernels.h"
#include "profiler/measure/kernels/kernels_flush.h"

enum { VERIFY_ACCESS_STORE_AT = 8, VERIFY_ACCESS_PAIR = 128, VERIFY_ACCESS_SWEEP_STEP = 3 * KERNELS_LINE };

// Numerical Recipes' generator modulo a power of two: its period is all numbers (Hull and Dobell 1962).
static inline size_t verify_access_next(size_t block, size_t lines)
{
    return (block * 1664525u + 1013904223u) & (lines - 1);
}

void verify_access_link(char *chunk, size_t lines)
{
    for (size_t block = 0; block < lines; block++)
        *(char **)(void *)(chunk + block * VERIFY_ACCESS_BLOCK) =
            chunk + verify_access_next(block, lines) * VERIFY_ACCESS_BLOCK;
}

__attribute__((noinline)) void verify_access_random(const struct verify_access *access)
{
    for (size_t chunk = 0; chunk < access->chunks; chunk++) {
        char *at = access->chunk + chunk * access->lines * VERIFY_ACCESS_BLOCK;
        for (size_t count = access->lines; count > 0; count--) {
            at = *(char **)(void *)at;
            __asm__ volatile("" : "+r"(at)); // the compiler does not know what was loaded
        }
    }
}

__attribute__((noinline)) void verify_access_stream(const struct verify_access *access)
{
    const char *at = access->chunk, *end = at + access->lines * KERNELS_LINE;
    for (; at < end; at += KERNELS_LINE)
        (void)*(const volatile char *)at;
}

__attribute__((noinline)) void verify_access_stores(const struct verify_access *access)
{
    char *chunk = access->chunk;
    size_t lines = access->lines;
    for (size_t count = lines, block = 0; count > 0; count--) {
        block = verify_access_next(block, lines);
        *(volatile char *)(chunk + block * VERIFY_ACCESS_BLOCK + VERIFY_ACCESS_STORE_AT) = 1;
    }
}

void verify_access_mixed(const struct verify_access *access)
{
    struct verify_access beside = *access;
    beside.chunk += VERIFY_ACCESS_PAIR;
    verify_access_stream(access);
    verify_access_random(access);
    verify_access_stores(&beside);
}

__attribute__((noinline)) void verify_access_cached(const struct verify_access *access)
{
    const char *chunk = access->chunk;
    const atomic_bool *until = access->until;
    size_t count = access->lines;
    if (access->begun)
        atomic_store(access->begun, true);
    do
        for (size_t line = 0; line < VERIFY_ACCESS_CACHED_LINES; line++)
            (void)*(const volatile char *)(chunk + line * KERNELS_LINE);
    while (until ? !atomic_load_explicit(until, memory_order_relaxed)
                 : (count -= VERIFY_ACCESS_CACHED_LINES) > 0);
}

__attribute__((noinline)) void verify_access_software(const struct verify_access *access)
{
    const char *chunk = access->chunk;
    size_t lines = access->lines;
    for (size_t count = lines, block = 0; count > 0; count--) {
        block = verify_access_next(block, lines);
        __builtin_prefetch(chunk + block * VERIFY_ACCESS_BLOCK, 0, 3);
    }
}

void verify_access_modify_blocks(const struct verify_access *access)
{
    for (size_t block = 0; block < access->lines; block++)
        for (size_t at = 0; at < VERIFY_ACCESS_PAIR; at += KERNELS_LINE)
            *(volatile char *)(access->chunk + block * VERIFY_ACCESS_BLOCK + at + VERIFY_ACCESS_STORE_AT) = 1;
}

void verify_access_modify_stream(const struct verify_access *access)
{
    for (size_t line = 0; line < access->lines; line++)
        *(volatile char *)(access->chunk + line * KERNELS_LINE + VERIFY_ACCESS_STORE_AT) = 1;
}

int verify_access_flush(const char *from, size_t bytes)
{
    return kernels_flush_lines(from, bytes) ? 0 : -ENOTSUP;
}

void verify_access_sweep(const char *junk, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += VERIFY_ACCESS_SWEEP_STEP)
        (void)*(const volatile char *)(junk + at);
}
