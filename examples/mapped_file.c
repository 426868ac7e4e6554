// SPDX-License-Identifier: Apache-2.0
// All threads sum a file that is mapped into memory:  mapped_file FILE [SWEEPS]
//
// Its pages lie in the page cache, on the node of whoever read or wrote the file first, in whatever program that was.
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    int sweeps = argc > 2 ? atoi(argv[2]) : 40, fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    struct stat file;
    if (fd < 0 || fstat(fd, &file) != 0)
        return 1;
    const long *a = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    size_t count = (size_t)file.st_size / sizeof *a;
    long sum = 0;
    if (a == MAP_FAILED)
        return 1;
    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += a[i];
    }
    printf("sum %ld: %d sweeps of %s by %d threads\n", sum, sweeps, argv[1], omp_get_max_threads());
    return 0;
}
