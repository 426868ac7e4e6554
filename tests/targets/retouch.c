// SPDX-License-Identifier: Apache-2.0
// retouch KIB TIMES [swap]: touches KIB of memory, gives its pages back (MADV_DONTNEED), and touches them again, TIMES
// times. swap: has the kernel write them to swap instead; exit status 3: it did not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t swapped_bytes(void)
{
    char line[256];
    size_t kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmSwap: %zu kB", &kib);
    if (status)
        fclose(status);
    return kib << 10;
}

int main(int argc, char **argv)
{
    size_t bytes = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1024) << 10;
    const int way = argc > 3 ? MADV_PAGEOUT : MADV_DONTNEED;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE) != 0)
        return 1;
    for (int i = argc > 2 ? atoi(argv[2]) : 2; i > 0; i--) {
        memset(memory, i, bytes);
        if (madvise(memory, bytes, way) != 0)
            return 1;
        // The kernel passes over pages that somebody has hold of for a moment.
        for (int tries = 10; way == MADV_PAGEOUT && swapped_bytes() < bytes / 10 * 9; tries--)
            if (tries == 0 || madvise(memory, bytes, way) != 0)
                return 3;
    }
    return 0;
}
