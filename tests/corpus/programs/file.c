// SPDX-License-Identifier: Apache-2.0
// truth: a mapped file, read in blocks: where its pages are was decided when it was written, in each run anew
// fix: spread
#include <stdio.h>
#include <stdlib.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
    size_t bytes = 4 << 20;
    char name[] = "/tmp/corpus-XXXXXX";
    int file = mkstemp(name);
    char *block = calloc(1, 1 << 20);
    for (int i = 0; i < 4; i++)
        if (write(file, block, 1 << 20) < 0)
            return 1;
    unlink(name);
    const unsigned char *p = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    long sum = 0;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < bytes; i += 16)
            sum += p[i];
    }
    printf("%ld\n", sum);
}
