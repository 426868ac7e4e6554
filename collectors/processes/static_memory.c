// SPDX-License-Identifier: Apache-2.0
#include "collectors/processes/static_memory.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The writable segment that holds the offset: of several the last that begins before it.
static uint64_t static_memory_segment_end(int fd, const ElfW(Ehdr) * header, uint64_t offset, uint64_t address, uint64_t page)
{
    enum { MOST_SEGMENTS = 64 };
    uint64_t end = 0, last = 0;
    ElfW(Phdr) segment;
    for (int i = 0; i < header->e_phnum && i < MOST_SEGMENTS; i++) {
        const off_t at = (off_t)(header->e_phoff + (uint64_t)i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment)
            break;
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
    uint64_t end = 0;
    if (snprintf(name, sizeof name, "/proc/%d/root%s", pid, path) >= (int)sizeof name)
        return UINT64_MAX;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return UINT64_MAX;
    if (pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
        header.e_phentsize == sizeof(ElfW(Phdr)))
        end = static_memory_segment_end(fd, &header, file_offset, address, (uint64_t)sysconf(_SC_PAGESIZE));
    close(fd);
    return end;
}
