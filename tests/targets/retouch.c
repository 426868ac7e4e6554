// SPDX-License-Identifier: Apache-2.0
// retouch KIB TIMES: touches KIB of memory, gives its pages back (MADV_DONTNEED), and touches them again, TIMES times.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    size_t bytes = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1024) << 10;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE) != 0)
        return 1;
    for (int i = argc > 2 ? atoi(argv[2]) : 2; i > 0; i--) {
        memset(memory, i, bytes);
        if (madvise(memory, bytes, MADV_DONTNEED) != 0)
            return 1;
    }
    return 0;
}
