// SPDX-License-Identifier: Apache-2.0
// copies PAGES: fills shared memory (memfd) through a shared mapping, then writes to a private one: each is copied.
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = page * (argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
    int fd = memfd_create("copies", 0);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
        return 1;
    char *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (shared == MAP_FAILED || copy == MAP_FAILED)
        return 1;
    for (size_t at = 0; at < bytes; at += page)
        *(volatile char *)(shared + at) = 1;
    for (size_t at = 0; at < bytes; at += page)
        *(volatile char *)(copy + at) = 2;
    return 0;
}
