// SPDX-License-Identifier: Apache-2.0
#include "collectors/pages/pages_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PAGES_CHUNK = 512,
    PAGES_AHEAD = 64, // neighbours of a page are asked for next: thousands of calls of 8 bytes each delay an exit
};

// Bits of a pagemap entry: Documentation/admin-guide/mm/pagemap.rst.
#define PAGES_MAP_PRESENT (UINT64_C(1) << 63)
#define PAGES_MAP_FILE (UINT64_C(1) << 61)
#define PAGES_MAP_EXCLUSIVE (UINT64_C(1) << 56)

// Opened when it is first asked for: move_pages knows nearly all.
struct pages_map {
    pid_t pid;
    bool tried;
    int fd;
    uint64_t first, entries[PAGES_AHEAD]; // of pages first ... in the chunk of addresses
    size_t count;
};

static int pages_map_open(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/pagemap", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

// Fills entries with zeros beyond the last mapping.
static int pages_map_read(int fd, uint64_t page, uint64_t *entries, size_t count)
{
    memset(entries, 0, count * sizeof *entries);
    return pread(fd, entries, count * sizeof *entries, (off_t)(page * sizeof *entries)) < 0 ? -errno : 0;
}

static uint64_t pages_map_page(uint64_t address)
{
    return address / (uint64_t)sysconf(_SC_PAGESIZE);
}

static int pages_map_entry(struct pages_map *pagemap, uint64_t address, uint64_t *entry)
{
    const uint64_t page = pages_map_page(address);
    if (page - pagemap->first >= pagemap->count) {
        const int status = pages_map_read(pagemap->fd, page, pagemap->entries, PAGES_AHEAD);
        pagemap->first = page;
        pagemap->count = status < 0 ? 0 : PAGES_AHEAD;
        if (status < 0)
            return status;
    }
    *entry = pagemap->entries[page - pagemap->first];
    return 0;
}

// The zero page counts as nobody's: present, not a file's, mapped exclusively by no one. So do pages shared after fork;
// those are not new, and whoever asks about a fault knows whether there was a fork.
static int32_t pages_map_state(struct pages_map *pagemap, uint64_t address)
{
    uint64_t entry;
    if (!pagemap->tried)
        pagemap->fd = pages_map_open(pagemap->pid);
    pagemap->tried = true;
    if (pagemap->fd < 0 || pages_map_entry(pagemap, address, &entry) < 0)
        return PAGES_UNKNOWN;
    if (!(entry & PAGES_MAP_PRESENT))
        return PAGES_ABSENT;
    return entry & (PAGES_MAP_FILE | PAGES_MAP_EXCLUSIVE) ? PAGES_SOMEWHERE : PAGES_ZERO;
}

// move_pages(2) answers -EFAULT both for the zero page and for addresses without a mapping.
static int32_t pages_state_of(int answer, struct pages_map *pagemap, uint64_t address)
{
    if (answer >= 0)
        return answer;
    if (answer == -EFAULT) {
        int32_t state = pages_map_state(pagemap, address);
        return state == PAGES_SOMEWHERE ? PAGES_ZERO : state;
    }
    return answer == -ENOENT ? PAGES_ABSENT : PAGES_UNKNOWN;
}

static int pages_state_chunk(struct pages_map *pagemap, const uint64_t *addresses, size_t count, int32_t *states)
{
    void *pages[PAGES_CHUNK];
    int answers[PAGES_CHUNK], known = 0;
    for (size_t i = 0; i < count; i++)
        pages[i] = (void *)(uintptr_t)addresses[i];
    bool moved = syscall(SYS_move_pages, pagemap->pid, count, pages, NULL, answers, 0) == 0;
    int error = moved ? 0 : -errno;
    pagemap->count = 0; // no older than what move_pages says
    for (size_t i = 0; i < count; i++) {
        states[i] = moved ? pages_state_of(answers[i], pagemap, addresses[i]) : pages_map_state(pagemap, addresses[i]);
        known += states[i] != PAGES_UNKNOWN;
    }
    return known > 0 ? known : error;
}

int pages_state_query(pid_t pid, const uint64_t *addresses, size_t count, int32_t *states)
{
    struct pages_map pagemap = {.pid = pid, .fd = -1};
    int known = 0, error = 0;
    for (size_t at = 0; at < count; at += PAGES_CHUNK) {
        size_t n = count - at < PAGES_CHUNK ? count - at : PAGES_CHUNK;
        int status = pages_state_chunk(&pagemap, addresses + at, n, states + at);
        known += status > 0 ? status : 0;
        error = status < 0 ? status : error;
    }
    if (pagemap.fd >= 0)
        close(pagemap.fd);
    return known > 0 ? known : error;
}

int pages_state_is_file(pid_t pid, uint64_t address)
{
    uint64_t entry = 0;
    int fd = pages_map_open(pid);
    if (fd < 0)
        return fd;
    int status = pages_map_read(fd, pages_map_page(address), &entry, 1);
    close(fd);
    if (status < 0)
        return status;
    return entry & PAGES_MAP_PRESENT ? !!(entry & PAGES_MAP_FILE) : -ENOENT;
}
