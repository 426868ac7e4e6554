// SPDX-License-Identifier: Apache-2.0
#include "collectors/processes/static_memory.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "core/process/elf_kind.h"

// The writable segment that holds the offset: of several the last that begins before it.
static uint64_t static_memory_segment_end(int fd, const ElfW(Ehdr) * header, uint64_t offset, uint64_t address,
                                          uint64_t page)
{
    uint64_t end = 0, last = 0;
    ElfW(Phdr) segment;
    for (int i = 0; elf_kind_segment(fd, header, i, &segment); i++) {
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
    ElfW(Ehdr) header;
    if (snprintf(name, sizeof name, "/proc/%d/root%s", pid, path) >= (int)sizeof name)
        return UINT64_MAX;
    int fd = elf_kind_open(name, &header);
    if (fd < 0)
        return UINT64_MAX;
    const uint64_t end = static_memory_segment_end(fd, &header, file_offset, address, (uint64_t)sysconf(_SC_PAGESIZE));
    close(fd);
    return end;
}
