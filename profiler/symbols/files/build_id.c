// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/files/build_id.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <string.h>

bool build_id_matches(int fd, const unsigned char *bits, size_t length)
{
    const void *id = NULL;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool same = elf && dwelf_elf_gnu_build_id(elf, &id) == (ssize_t)length && memcmp(id, bits, length) == 0;
    elf_end(elf);
    return same;
}

bool build_id_path(char *path, size_t size, const char *root, const unsigned char *bits, size_t length,
                   const char *suffix)
{
    if (length < 2)
        return false;
    size_t used = (size_t)snprintf(path, size, "%s/.build-id/%02x/", root, bits[0]);
    for (size_t i = 1; i < length && used < size; i++)
        used += (size_t)snprintf(path + used, size - used, "%02x", bits[i]);
    if (used < size)
        used += (size_t)snprintf(path + used, size - used, "%s", suffix);
    return used < size;
}
