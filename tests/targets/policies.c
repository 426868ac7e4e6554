// SPDX-License-Identifier: Apache-2.0
// Prints the kernel's memory policy of one large piece of memory before its first touch, and after:  policies KIND
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BYTES = 8 << 20, OF_ADDRESS = 2 }; // MPOL_F_ADDR

static char variable[BYTES];

static int policy_of(const char *memory)
{
    int mode = -1;
    return syscall(SYS_get_mempolicy, &mode, NULL, 0UL, memory + BYTES / 2, (unsigned long)OF_ADDRESS) == 0 ? mode : -1;
}

// As a vector grows: by a factor, some of it used.
static char *grown(void)
{
    char *memory = NULL;
    for (size_t bytes = 1000; bytes < BYTES; bytes += bytes / 2) {
        memory = realloc(memory, bytes);
        memset(memory + bytes / 2, 1, bytes / 4);
    }
    return realloc(memory, BYTES);
}

// The second block is the freed first one again.
static char *reused(void)
{
    char *memory = NULL;
    for (int i = 0; i < 2; i++) {
        free(memory);
        memory = malloc(BYTES);
        memset(memory, 1, BYTES);
    }
    return memory;
}

static char *made(const char *kind)
{
    void *aligned = NULL;
    if (strcmp(kind, "malloc") == 0)
        return malloc(BYTES);
    if (strcmp(kind, "calloc") == 0)
        return calloc(BYTES / 8, 8);
    if (strcmp(kind, "aligned_alloc") == 0)
        return aligned_alloc(1 << 16, BYTES);
    if (strcmp(kind, "posix_memalign") == 0)
        return posix_memalign(&aligned, 64, BYTES) == 0 ? aligned : NULL;
    if (strcmp(kind, "realloc") == 0)
        return grown();
    if (strcmp(kind, "reused") == 0)
        return reused();
    if (strcmp(kind, "static") == 0)
        return variable;
    return mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv)
{
    char *memory = made(argc > 1 ? argv[1] : "mmap");
    if (!memory || memory == MAP_FAILED)
        return 1;
    int before = policy_of(memory);
    memset(memory, 1, BYTES);
    printf("%d %d\n", before, policy_of(memory));
    return 0;
}
