// SPDX-License-Identifier: Apache-2.0
#include "collectors/processes/address_space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collectors/processes/static_memory.h"
#include "core/system/sysfile.h"
#include "core/util/grow.h"
#include "core/util/search.h"
#include "core/util/table.h"

// --- what a mapping is

static bool address_space_starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static enum mapping_kind address_space_kind(const char *path, bool is_shared, bool writable)
{
    if (strcmp(path, "[heap]") == 0)
        return MAPPING_HEAP;
    if (address_space_starts(path, "[stack"))
        return MAPPING_STACK;
    if (address_space_starts(path, "[anon") || *path == '\0')
        return is_shared ? MAPPING_SHARED : MAPPING_ANONYMOUS;
    if (*path == '[')
        return MAPPING_SPECIAL;
    if (address_space_starts(path, "/memfd:numaprof"))
        return MAPPING_SPECIAL; // ours, not the program's
    if (address_space_starts(path, "/anon_hugepage") || address_space_starts(path, "/dev/hugepages"))
        return MAPPING_HUGE;
    if (address_space_starts(path, "/dev/zero") && !is_shared)
        return MAPPING_ANONYMOUS;
    // A private mapping of such memory is a copy, as that of a file: what the process writes there is its own.
    if (is_shared && (address_space_starts(path, "/dev/shm/") || address_space_starts(path, "/memfd:") ||
                      address_space_starts(path, "/SYSV") || address_space_starts(path, "/dev/zero")))
        return MAPPING_SHARED;
    return writable && !is_shared ? MAPPING_STATIC : MAPPING_FILE;
}

// --- the table

// Index of the first mapping that ends beyond the address.
static size_t address_space_index(const struct address_space *space, uint64_t address)
{
    return search_at_most(space->items, space->count, sizeof *space->items, offsetof(struct mapping, end), address);
}

struct mapping *address_space_find(const struct address_space *space, uint64_t address)
{
    size_t i = address_space_index(space, address);
    return i < space->count && space->items[i].start <= address ? &space->items[i] : NULL;
}

uint64_t address_space_next(const struct address_space *space, uint64_t address)
{
    const size_t i = address_space_index(space, address);
    return i < space->count ? space->items[i].start : UINT64_MAX;
}

// Room for two more: an addition may split one that is there.
static int address_space_reserve(struct address_space *space)
{
    struct mapping *items = grow_array(space->items, &space->size, space->count + 2, sizeof *items);
    if (!items)
        return -ENOMEM;
    space->items = items;
    return 0;
}

static void address_space_insert_at(struct address_space *space, size_t i, struct mapping mapping)
{
    memmove(space->items + i + 1, space->items + i, (space->count - i) * sizeof *space->items);
    space->items[i] = mapping;
    space->count++;
}

static void address_space_remove_at(struct address_space *space, size_t i)
{
    space->count--;
    memmove(space->items + i, space->items + i + 1, (space->count - i) * sizeof *space->items);
}

// Takes start..end away from the mappings that are there. Returns the index where a mapping of that range goes.
static size_t address_space_cut(struct address_space *space, uint64_t start, uint64_t end)
{
    size_t i = address_space_index(space, start);
    while (i < space->count && space->items[i].start < end) {
        struct mapping *old = &space->items[i];
        struct mapping tail = *old;
        tail.file_offset += end - tail.start;
        tail.start = end;
        const bool keeps_head = old->start < start, keeps_tail = old->end > end;
        if (keeps_head) {
            old->end = start;
            i++;
        } else {
            address_space_remove_at(space, i);
        }
        if (keeps_tail) {
            address_space_insert_at(space, i, tail);
            break;
        }
    }
    return i;
}

// The kernel joins a new mapping with its neighbours and reports them as one. What has the same size as before is
// another one.
static void address_space_take_over(const struct address_space *space, struct mapping *mapping)
{
    mapping->placed_pages = mapping->new_pages = 0;
    for (size_t i = address_space_index(space, mapping->start);
         i < space->count && space->items[i].start < mapping->end; i++) {
        const struct mapping *old = &space->items[i];
        if (old->kind != mapping->kind || old->end - old->start >= mapping->end - mapping->start)
            continue;
        mapping->placed_pages += old->placed_pages;
        mapping->new_pages += old->new_pages;
        mapping->was_there |= old->was_there;
    }
}

// --- static memory

// The part of a program's .bss that goes beyond the file is anonymous memory right behind its writable mapping.
static void address_space_mark_bss(const struct address_space *space, struct mapping *mapping)
{
    if (mapping->kind != MAPPING_ANONYMOUS || mapping->start == 0)
        return;
    const struct mapping *before = address_space_find(space, mapping->start - 1);
    if (before && before->kind == MAPPING_STATIC) {
        mapping->kind = MAPPING_STATIC;
        mapping->path = before->path;
        mapping->file_offset = before->file_offset + (mapping->start - before->start);
    }
}

// The kernel joins .bss with anonymous memory right behind it, so that 17 MiB of an array were data of a library.
// Returns where .bss ends at most. Small mappings are not looked at: reading the headers of all libraries takes a
// millisecond.
static uint64_t address_space_bss_end(const struct address_space *space, const struct mapping *mapping, pid_t pid)
{
    enum { SMALL = 64 << 10 };
    if (mapping->kind != MAPPING_ANONYMOUS || mapping->start == 0 || mapping->end - mapping->start <= SMALL)
        return UINT64_MAX;
    const struct mapping *before = address_space_find(space, mapping->start - 1);
    if (!before || before->kind != MAPPING_STATIC || *before->path != '/')
        return UINT64_MAX;
    return static_memory_end(pid, before->path, before->file_offset, before->start);
}

static int address_space_put(struct address_space *space, struct mapping mapping)
{
    if (mapping.start >= mapping.end)
        return 0;
    int status = address_space_reserve(space);
    if (status < 0)
        return status;
    mapping.serial = ++space->generation;
    space->code += mapping.executable;
    // A mapping that grew (heap, stack, merged neighbours) is still the same.
    const struct mapping *same = address_space_find(space, mapping.start);
    if (same && same->start == mapping.start && same->end < mapping.end && same->kind == mapping.kind &&
        same->path == mapping.path) {
        mapping.block = same->block;
        mapping.serial = same->serial;
        mapping.touched = same->touched;
    }
    address_space_take_over(space, &mapping);
    address_space_insert_at(space, address_space_cut(space, mapping.start, mapping.end), mapping);
    return 0;
}

int address_space_add(struct address_space *space, struct mapping mapping)
{
    address_space_mark_bss(space, &mapping);
    return address_space_put(space, mapping);
}

// What is known of a mapping that looks as before stays known: that it was touched, and how much of it.
static int address_space_put_present(struct address_space *space, struct mapping mapping)
{
    const struct mapping *known = address_space_find(space, mapping.start);
    const bool is_known = known && known->start == mapping.start && known->end == mapping.end &&
                          known->file_offset == mapping.file_offset && known->path == mapping.path &&
                          known->inode == mapping.inode && known->device == mapping.device &&
                          known->kind == mapping.kind && known->executable == mapping.executable;
    return is_known ? 0 : address_space_put(space, mapping);
}

// As it is in a process now: .bss in front, other memory behind.
static int address_space_add_present(struct address_space *space, struct mapping mapping, pid_t pid)
{
    const uint64_t end = address_space_bss_end(space, &mapping, pid);
    struct mapping bss = mapping;
    int status = 0;
    if (end > mapping.start) {
        bss.end = mapping.start = end < mapping.end ? end : mapping.end;
        address_space_mark_bss(space, &bss);
        status = address_space_put_present(space, bss);
    }
    return status < 0 ? status : address_space_put_present(space, mapping);
}

int address_space_add_mmap(struct address_space *space, struct intern **paths, const struct perf_mmap *mmap)
{
    bool is_shared = (mmap->flags & MAP_SHARED) && !(mmap->flags & MAP_PRIVATE);
    const char *name = strcmp(mmap->name, "//anon") == 0 ? "" : mmap->name; // the kernel's word for no file
    struct mapping mapping = {
        .start = mmap->address,
        .end = mmap->address + mmap->bytes,
        .file_offset = mmap->file_offset,
        .path = intern_text(paths, name),
        .inode = mmap->inode,
        .device = (uint64_t)mmap->major << 32 | mmap->minor,
        .kind = address_space_kind(name, is_shared, mmap->protection & PROT_WRITE),
        .file_backed = *name == '/',
        .shared = is_shared,
        .executable = mmap->protection & PROT_EXEC,
    };
    return mapping.end > mapping.start ? address_space_add(space, mapping) : 0;
}

// A number that the sign follows, which is passed.
static bool address_space_number(const char **at, int base, char sign, uint64_t *value)
{
    char *end;
    *value = strtoull(*at, &end, base);
    if (end == *at || *end != sign)
        return false;
    *at = end + 1;
    return true;
}

// A line of /proc/PID/maps: "start-end rwxp offset dev inode   path".
static int address_space_add_line(struct address_space *space, struct intern **paths, const char *line, pid_t pid)
{
    uint64_t start, end, offset, inode, major, minor;
    const char *path = line;
    if (!address_space_number(&path, 16, '-', &start) || !address_space_number(&path, 16, ' ', &end))
        return 0;
    const char *rights = path;
    if (strcspn(rights, " ") != 4)
        return 0;
    path += 5;
    if (!address_space_number(&path, 16, ' ', &offset) || !address_space_number(&path, 16, ':', &major) ||
        !address_space_number(&path, 16, ' ', &minor) || !address_space_number(&path, 10, ' ', &inode))
        return 0;
    path += strspn(path, " ");
    struct mapping mapping = {
        .start = start,
        .end = end,
        .file_offset = offset,
        .path = intern_text(paths, path),
        .inode = inode,
        .device = major << 32 | minor,
        .kind = address_space_kind(path, rights[3] == 's', rights[1] == 'w'),
        .file_backed = *path == '/',
        .shared = rights[3] == 's',
        .executable = rights[2] == 'x',
    };
    return address_space_add_present(space, mapping, pid);
}

int address_space_read(struct address_space *space, struct intern **paths, pid_t pid)
{
    char *text, *next;
    int status = sysfile_whole("", &text, "/proc/%d/maps", pid);
    if (status < 0)
        return status;
    status = 0;
    for (char *line = text; line && *line && status == 0; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        status = address_space_add_line(space, paths, line, pid);
    }
    free(text);
    return status;
}

int address_space_copy(struct address_space *to, const struct address_space *from)
{
    struct mapping *items = malloc((from->count + 2) * sizeof *items);
    if (!items)
        return -ENOMEM;
    if (from->count > 0)
        memcpy(items, from->items, from->count * sizeof *items);
    for (size_t i = 0; i < from->count; i++)
        items[i].block = 0; // blocks belong to one process
    free(to->items);
    *to = (struct address_space){.items = items,
                                 .count = from->count,
                                 .size = from->count + 2,
                                 .pid = to->pid,
                                 .generation = to->generation + from->generation + 1,
                                 .code = to->code + 1};
    return 0;
}

void address_space_clear(struct address_space *space)
{
    free(space->items);
    *space = (struct address_space){.pid = space->pid, .generation = space->generation + 1, .code = space->code + 1};
}
