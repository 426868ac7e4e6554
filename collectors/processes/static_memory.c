// SPDX-License-Identifier: Apache-2.0
#include "collectors/processes/static_memory.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "core/process/regular_file.h"

// The writable segment that holds the offset: of several the last that begins before it. Of 32 bits or 64.
static uint64_t static_memory_segment_end(Elf *elf, uint64_t offset, uint64_t address, uint64_t page)
{
    uint64_t end = 0, last = 0;
    GElf_Phdr segment;
    for (int i = 0; gelf_getphdr(elf, i, &segment); i++) {
        const uint64_t start = segment.p_offset & ~(page - 1);
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_W) || start > offset || start < last)
            continue;
        last = start;
        end = address - offset + segment.p_offset + segment.p_memsz;
    }
    return (end + page - 1) & ~(page - 1);
}

uint64_t static_memory_end(pid_t pid, const char *path, uint64_t file_offset, uint64_t address)
{
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "/proc/%d/root%s", pid, path) >= (int)sizeof name)
        return UINT64_MAX;
    struct stat status;
    int fd = regular_file_open(name, 0, &status);
    if (fd < 0)
        return UINT64_MAX;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const uint64_t end = static_memory_segment_end(elf, file_offset, address, (uint64_t)sysconf(_SC_PAGESIZE));
    elf_end(elf);
    close(fd);
    return end;
}
