// SPDX-License-Identifier: Apache-2.0
// Touches memory only within the C library: 4 MiB by memset, 2 MiB by memcpy, 1 MiB by read.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static char *fresh(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

__attribute__((noinline)) static int own(char *to, const char *from, int zeros)
{
    memcpy(to, from, 2 * MIB);
    return read(zeros, fresh(MIB), MIB) == MIB ? 0 : 1;
}

int main(void)
{
    char *block = fresh(4 * MIB), *other = fresh(2 * MIB);
    int zeros = open("/dev/zero", O_RDONLY);
    memset(block, zeros, 4 * MIB);
    int status = own(other, block, zeros);
    printf("%d\n", block[5] + other[7]);
    return status;
}
