// SPDX-License-Identifier: Apache-2.0
#include "collectors/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/search.h"
#include "core/sysfile.h"
#include "core/table.h"

// --- paths

struct map_path {
    struct map_path *next;
    uint64_t hash;
    char text[];
};

enum { MAP_PATH_BUCKETS = 1024 };
struct map_paths {
    struct map_path *buckets[MAP_PATH_BUCKETS];
};

static uint64_t map_path_hash(const char *path)
{
    uint64_t hash = 0;
    for (; *path; path++)
        hash = table_mix(hash, (unsigned char)*path);
    return hash;
}

const char *map_paths_intern(struct map_paths **paths, const char *path)
{
    if (!*path)
        return "";
    if (!*paths && !(*paths = calloc(1, sizeof **paths)))
        return "";
    uint64_t hash = map_path_hash(path);
    struct map_path **bucket = &(*paths)->buckets[hash % MAP_PATH_BUCKETS];
    for (struct map_path *p = *bucket; p; p = p->next)
        if (p->hash == hash && strcmp(p->text, path) == 0)
            return p->text;
    size_t length = strlen(path) + 1;
    struct map_path *added = malloc(sizeof *added + length);
    if (!added)
        return "";
    *added = (struct map_path){.next = *bucket, .hash = hash};
    memcpy(added->text, path, length);
    *bucket = added;
    return added->text;
}

void map_paths_free(struct map_paths *paths)
{
    for (size_t i = 0; paths && i < MAP_PATH_BUCKETS; i++) {
        for (struct map_path *p = paths->buckets[i], *next; p; p = next) {
            next = p->next;
            free(p);
        }
    }
    free(paths);
}

// --- what a mapping is

static bool map_starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static enum map_kind map_kind(const char *path, bool is_shared, bool writable)
{
    if (strcmp(path, "[heap]") == 0)
        return MAP_KIND_HEAP;
    if (map_starts(path, "[stack"))
        return MAP_KIND_STACK;
    if (map_starts(path, "[anon") || *path == '\0')
        return is_shared ? MAP_KIND_SHARED : MAP_KIND_ANONYMOUS;
    if (*path == '[')
        return MAP_KIND_SPECIAL;
    if (map_starts(path, "/memfd:numaprof"))
        return MAP_KIND_SPECIAL; // ours, not the program's
    if (map_starts(path, "/anon_hugepage") || map_starts(path, "/dev/hugepages"))
        return MAP_KIND_HUGE;
    if (map_starts(path, "/dev/shm/") || map_starts(path, "/memfd:") || map_starts(path, "/SYSV") ||
        map_starts(path, "/dev/zero"))
        return MAP_KIND_SHARED;
    return writable && !is_shared ? MAP_KIND_STATIC : MAP_KIND_FILE;
}

// The part of a program's .bss that goes beyond the file is anonymous memory right behind its writable mapping.
static void map_mark_bss(const struct maps *maps, struct mapping *mapping)
{
    if (mapping->kind != MAP_KIND_ANONYMOUS || mapping->start == 0)
        return;
    const struct mapping *before = maps_find(maps, mapping->start - 1);
    if (before && before->kind == MAP_KIND_STATIC) {
        mapping->kind = MAP_KIND_STATIC;
        mapping->path = before->path;
        mapping->file_offset = before->file_offset + (mapping->start - before->start);
    }
}

// --- the table

// Index of the first mapping that ends beyond the address.
static size_t maps_index(const struct maps *maps, uint64_t address)
{
    return search_at_most(maps->items, maps->count, sizeof *maps->items, offsetof(struct mapping, end), address);
}

struct mapping *maps_find(const struct maps *maps, uint64_t address)
{
    size_t i = maps_index(maps, address);
    return i < maps->count && maps->items[i].start <= address ? &maps->items[i] : NULL;
}

// Room for two more: an addition may split one that is there.
static int maps_reserve(struct maps *maps)
{
    if (maps->count + 2 <= maps->size)
        return 0;
    size_t size = maps->size ? maps->size * 2 : 64;
    struct mapping *items = realloc(maps->items, size * sizeof *items);
    if (!items)
        return -ENOMEM;
    maps->items = items;
    maps->size = size;
    return 0;
}

static void maps_insert_at(struct maps *maps, size_t i, struct mapping mapping)
{
    memmove(maps->items + i + 1, maps->items + i, (maps->count - i) * sizeof *maps->items);
    maps->items[i] = mapping;
    maps->count++;
}

static void maps_remove_at(struct maps *maps, size_t i)
{
    maps->count--;
    memmove(maps->items + i, maps->items + i + 1, (maps->count - i) * sizeof *maps->items);
}

// Takes start..end away from the mappings that are there. Returns the index where a mapping of that range goes.
static size_t maps_cut(struct maps *maps, uint64_t start, uint64_t end)
{
    size_t i = maps_index(maps, start);
    while (i < maps->count && maps->items[i].start < end) {
        struct mapping *old = &maps->items[i];
        struct mapping tail = *old;
        tail.file_offset += end - tail.start;
        tail.start = end;
        bool keeps_head = old->start < start, keeps_tail = old->end > end;
        if (keeps_head) {
            old->end = start;
            i++;
        } else {
            maps_remove_at(maps, i);
        }
        if (keeps_tail) {
            maps_insert_at(maps, i, tail);
            break;
        }
    }
    return i;
}

int maps_add(struct maps *maps, struct mapping mapping)
{
    if (mapping.start >= mapping.end)
        return 0;
    int status = maps_reserve(maps);
    if (status < 0)
        return status;
    map_mark_bss(maps, &mapping);
    mapping.serial = ++maps->generation;
    maps->code += mapping.executable;
    // A mapping that grew (heap, stack, merged neighbours) is still the same.
    const struct mapping *same = maps_find(maps, mapping.start);
    if (same && same->start == mapping.start && same->end < mapping.end && same->kind == mapping.kind &&
        same->path == mapping.path) {
        mapping.block = same->block;
        mapping.serial = same->serial;
        mapping.touched = same->touched;
    }
    maps_insert_at(maps, maps_cut(maps, mapping.start, mapping.end), mapping);
    return 0;
}

int maps_add_mmap(struct maps *maps, struct map_paths **paths, const struct perf_mmap *mmap)
{
    bool is_shared = (mmap->flags & MAP_SHARED) && !(mmap->flags & MAP_PRIVATE);
    const char *name = strcmp(mmap->name, "//anon") == 0 ? "" : mmap->name; // the kernel's word for no file
    struct mapping mapping = {
        .start = mmap->address,
        .end = mmap->address + mmap->bytes,
        .file_offset = mmap->file_offset,
        .path = map_paths_intern(paths, name),
        .inode = mmap->inode,
        .kind = map_kind(name, is_shared, mmap->protection & PROT_WRITE),
        .file_backed = *name == '/',
        .executable = mmap->protection & PROT_EXEC,
    };
    return mapping.end > mapping.start ? maps_add(maps, mapping) : 0;
}

// A line of /proc/PID/maps: "start-end rwxp offset dev inode   path".
static int maps_add_line(struct maps *maps, struct map_paths **paths, const char *line)
{
    uint64_t start, end, offset, inode;
    char rights[5];
    int path_at = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n", &start, &end, rights, &offset, &inode,
               &path_at) < 5)
        return 0;
    const char *path = path_at > 0 ? line + path_at : "";
    struct mapping mapping = {
        .start = start,
        .end = end,
        .file_offset = offset,
        .path = map_paths_intern(paths, path),
        .inode = inode,
        .kind = map_kind(path, rights[3] == 's', rights[1] == 'w'),
        .file_backed = *path == '/',
        .executable = rights[2] == 'x',
    };
    return maps_add(maps, mapping);
}

int maps_read(struct maps *maps, struct map_paths **paths, pid_t pid)
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
        status = maps_add_line(maps, paths, line);
    }
    free(text);
    return status;
}

int maps_copy(struct maps *to, const struct maps *from)
{
    struct mapping *items = malloc((from->count + 2) * sizeof *items);
    if (!items)
        return -ENOMEM;
    if (from->count > 0)
        memcpy(items, from->items, from->count * sizeof *items);
    for (size_t i = 0; i < from->count; i++)
        items[i].block = 0; // blocks belong to one process
    free(to->items);
    *to = (struct maps){.items = items, .count = from->count, .size = from->count + 2, .pid = to->pid,
                         .generation = to->generation + from->generation + 1, .code = to->code + 1};
    return 0;
}

void maps_clear(struct maps *maps)
{
    free(maps->items);
    *maps = (struct maps){.pid = maps->pid, .generation = maps->generation + 1, .code = maps->code + 1};
}
