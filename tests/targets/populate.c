// SPDX-License-Identifier: Apache-2.0
// populate HOW MIB [heap] [stdin]: memory that is filled without a page fault of the program: populate, lock, advise,
// read; or touch, by hand. heap: a block of malloc. stdin: then waits for the end of its input.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static int fill_by_read(char *memory, size_t bytes)
{
    int zero = open("/dev/zero", O_RDONLY);
    for (size_t at = 0; zero >= 0 && at < bytes; at += 1 << 20)
        if (read(zero, memory + at, 1 << 20) < 0)
            return 1;
    return zero < 0;
}

static int fill(const char *how, char *memory, size_t bytes)
{
    if (strcmp(how, "lock") == 0)
        return mlock(memory, bytes) == 0 ? 0 : 77;
    if (strcmp(how, "advise") == 0)
        return madvise(memory, bytes, MADV_POPULATE_WRITE) == 0 ? 0 : 77;
    if (strcmp(how, "read") == 0)
        return fill_by_read(memory, bytes);
    if (strcmp(how, "touch") == 0)
        memset(memory, 1, bytes);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 1;
    size_t bytes = (size_t)atol(argv[2]) << 20;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (strcmp(argv[1], "populate") == 0 ? MAP_POPULATE : 0);
    bool is_heap = strcmp(argv[argc > 3 ? 3 : 1], "heap") == 0;
    char *memory = is_heap ? malloc(bytes) : mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    int status = !memory || memory == MAP_FAILED ? 1 : fill(argv[1], memory, bytes);
    char unused;
    while (strcmp(argv[argc - 1], "stdin") == 0 && read(0, &unused, 1) > 0)
        ;
    return status;
}
