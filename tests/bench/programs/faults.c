// SPDX-License-Identifier: Apache-2.0
// faults COUNT: so many page faults, from functions nested 16 deep, in 64 MiB that are dropped and touched again.
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGES = 16384, PAGE = 4096 };

static __attribute__((noinline)) void touch(volatile char *memory, long count, int depth)
{
    if (depth > 0) {
        touch(memory, count, depth - 1);
        __asm__ volatile(""); // no tail call
        return;
    }
    for (long i = 0; i < count; i++)
        memory[i * PAGE] = 1;
}

int main(int argc, char **argv)
{
    long left = argc > 1 ? atol(argv[1]) : 1000000;
    char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE) < 0)
        return 1;
    for (long now; left > 0; left -= now) {
        now = left < PAGES ? left : PAGES;
        touch(memory, now, 16);
        madvise(memory, (size_t)PAGES * PAGE, MADV_DONTNEED);
    }
    return 0;
}
