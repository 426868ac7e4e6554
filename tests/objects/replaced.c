// SPDX-License-Identifier: Apache-2.0
// Mappings that others replace in parts: a small one where the tail was unmapped, a file and reserved addresses over
// the middle, and a file that mremap moves.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIB = 1 << 20, TAIL = 60 << 10, PART = 256 << 10 };
static int file;

static char *map(void *where, size_t bytes, int more)
{
    return mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more, -1, 0);
}

__attribute__((noinline)) static void without_tail(void)
{
    char *big = map(NULL, MIB, 0);
    memset(big, 1, MIB / 2);
    munmap(big + MIB - TAIL, TAIL);
    char *small = map(big + MIB - TAIL, TAIL, MAP_FIXED);
    memset(small, 1, TAIL);
}

__attribute__((noinline)) static void below_a_small_one(void)
{
    char *big = map(NULL, MIB, 0);
    memset(big, 1, MIB / 2);
    char *small = map(big + MIB - TAIL, TAIL, MAP_FIXED);
    memset(small, 1, TAIL);
}

__attribute__((noinline)) static void below_a_file(void)
{
    char *big = map(NULL, MIB, 0);
    memset(big, 1, MIB / 2);
    char *part = mmap(big + MIB / 2, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
    memset(part, 1, PART);
}

__attribute__((noinline)) static void below_reserved(void)
{
    char *big = map(NULL, MIB, 0);
    memset(big, 1, MIB / 2);
    mmap(big + MIB / 2, PART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    mprotect(big + MIB / 2, PART, PROT_READ | PROT_WRITE);
    memset(big + MIB / 2, 1, PART);
}

__attribute__((noinline)) static void moved_file(void)
{
    char *part = mmap(NULL, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    part = mremap(part, PART, MIB, MREMAP_MAYMOVE);
    memset(part, 1, MIB);
}

int main(void)
{
    file = memfd_create("replaced", 0);
    if (file < 0 || ftruncate(file, MIB) < 0)
        return 1;
    without_tail();
    below_a_small_one();
    below_a_file();
    below_reserved();
    moved_file();
    return 0;
}
