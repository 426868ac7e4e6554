// SPDX-License-Identifier: Apache-2.0
// touch MIB [TIMES]: touches so much memory page by page, in pages of 4 KiB; TIMES: drops it and touches again.
#include <stdlib.h>
#include <sys/mman.h>

static __attribute__((noinline)) void touch(volatile char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 4096)
        memory[at] = 1;
}

int main(int argc, char **argv)
{
    size_t bytes = (argc > 1 ? strtoul(argv[1], NULL, 10) : 2048) << 20;
    int times = argc > 2 ? atoi(argv[2]) : 1;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE) < 0)
        return 1;
    for (int i = 0; i < times; i++) {
        touch(memory, bytes);
        if (i + 1 < times)
            madvise(memory, bytes, MADV_DONTNEED);
    }
    return 0;
}
