// SPDX-License-Identifier: Apache-2.0
#include "collectors/page_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE_CHUNK = 512 };

// Bits of a pagemap entry: Documentation/admin-guide/mm/pagemap.rst.
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_FILE (UINT64_C(1) << 61)
#define PAGEMAP_EXCLUSIVE (UINT64_C(1) << 56)

// Opened when it is first asked for: move_pages knows nearly all.
struct pagemap {
    pid_t pid;
    bool tried;
    int fd;
};

static int pagemap_open(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/pagemap", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int pagemap_read(int fd, uint64_t address, uint64_t *entry)
{
    off_t at = (off_t)(address / (uint64_t)sysconf(_SC_PAGESIZE) * sizeof *entry);
    ssize_t n = pread(fd, entry, sizeof *entry, at);
    if (n < 0)
        return -errno;
    if (n == 0)
        *entry = 0; // beyond the last mapping
    return 0;
}

// The zero page counts as nobody's: present, not a file's, mapped exclusively by no one. So do pages shared after fork;
// those are not new, and whoever asks about a fault knows whether there was a fork.
static int32_t pagemap_state(struct pagemap *pagemap, uint64_t address)
{
    uint64_t entry;
    if (!pagemap->tried)
        pagemap->fd = pagemap_open(pagemap->pid);
    pagemap->tried = true;
    if (pagemap->fd < 0 || pagemap_read(pagemap->fd, address, &entry) < 0)
        return PAGE_UNKNOWN;
    if (!(entry & PAGEMAP_PRESENT))
        return PAGE_ABSENT;
    return entry & (PAGEMAP_FILE | PAGEMAP_EXCLUSIVE) ? PAGE_SOMEWHERE : PAGE_ZERO;
}

// move_pages(2) answers -EFAULT both for the zero page and for addresses without a mapping.
static int32_t page_state_of(int answer, struct pagemap *pagemap, uint64_t address)
{
    if (answer >= 0)
        return answer;
    if (answer == -EFAULT) {
        int32_t state = pagemap_state(pagemap, address);
        return state == PAGE_SOMEWHERE ? PAGE_ZERO : state;
    }
    return answer == -ENOENT ? PAGE_ABSENT : PAGE_UNKNOWN;
}

static int page_state_chunk(struct pagemap *pagemap, const uint64_t *addresses, size_t count, int32_t *states)
{
    void *pages[PAGE_CHUNK];
    int answers[PAGE_CHUNK], known = 0;
    for (size_t i = 0; i < count; i++)
        pages[i] = (void *)(uintptr_t)addresses[i];
    bool moved = syscall(SYS_move_pages, pagemap->pid, count, pages, NULL, answers, 0) == 0;
    int error = moved ? 0 : -errno;
    for (size_t i = 0; i < count; i++) {
        states[i] = moved ? page_state_of(answers[i], pagemap, addresses[i]) : pagemap_state(pagemap, addresses[i]);
        known += states[i] != PAGE_UNKNOWN;
    }
    return known > 0 ? known : error;
}

int page_state_query(pid_t pid, const uint64_t *addresses, size_t count, int32_t *states)
{
    struct pagemap pagemap = {.pid = pid, .fd = -1};
    int known = 0, error = 0;
    for (size_t at = 0; at < count; at += PAGE_CHUNK) {
        size_t n = count - at < PAGE_CHUNK ? count - at : PAGE_CHUNK;
        int status = page_state_chunk(&pagemap, addresses + at, n, states + at);
        known += status > 0 ? status : 0;
        error = status < 0 ? status : error;
    }
    if (pagemap.fd >= 0)
        close(pagemap.fd);
    return known > 0 ? known : error;
}

int page_state_is_file(pid_t pid, uint64_t address)
{
    uint64_t entry = 0;
    int fd = pagemap_open(pid);
    if (fd < 0)
        return fd;
    int status = pagemap_read(fd, address, &entry);
    close(fd);
    if (status < 0)
        return status;
    return entry & PAGEMAP_PRESENT ? !!(entry & PAGEMAP_FILE) : -ENOENT;
}
