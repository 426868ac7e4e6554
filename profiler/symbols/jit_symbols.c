// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/jit_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/process/regular_file.h"
#include "core/util/search.h"

// --- parsing

static int jit_symbols_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// A number of 1 to 16 digits and the blank behind it; "0x" before it, as some write it. NULL: it is none.
static char *jit_symbols_number(char *at, uint64_t *number)
{
    *number = 0;
    if (at[0] == '0' && at[1] == 'x')
        at += 2;
    int digits = 0;
    for (; jit_symbols_digit(*at) >= 0; at++, digits++)
        *number = *number << 4 | (uint64_t)jit_symbols_digit(*at);
    return digits > 0 && digits <= 16 && *at == ' ' ? at + 1 : NULL;
}

static bool jit_symbols_line(struct jit_symbols_entry *entry, char *line)
{
    uint64_t bytes;
    char *at = jit_symbols_number(line, &entry->start);
    at = at ? jit_symbols_number(at, &bytes) : NULL;
    if (!at || *at == '\0' || bytes == 0 || entry->start + bytes < entry->start)
        return false;
    entry->end = entry->start + bytes;
    entry->name = at;
    return true;
}

static int jit_symbols_by_start(const void *a, const void *b)
{
    const struct jit_symbols_entry *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->end < right->end ? -1 : left->end > right->end;
}

static size_t jit_symbols_count_lines(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += text[i] == '\n';
    return count;
}

int jit_symbols_parse(struct jit_symbols *map, char *text, size_t bytes)
{
    size_t lines = jit_symbols_count_lines(text, bytes);
    *map = (struct jit_symbols){.entries = calloc(lines + 1, sizeof *map->entries)};
    if (!map->entries)
        return -ENOMEM;
    text[bytes] = '\0';
    char *line = text, *end;
    // What has no end of line was cut off while it was written.
    for (; (end = memchr(line, '\n', bytes - (size_t)(line - text))); line = end + 1) {
        *end = '\0';
        if (jit_symbols_line(&map->entries[map->count], line))
            map->count++;
        else
            map->malformed++;
    }
    map->malformed += line < text + bytes;
    qsort(map->entries, map->count, sizeof *map->entries, jit_symbols_by_start);
    uint64_t reach = 0;
    for (size_t i = 0; i < map->count; i++)
        map->entries[i].reach = reach = map->entries[i].end > reach ? map->entries[i].end : reach;
    return 0;
}

// --- reading

static int jit_symbols_open(const char *path, uid_t uid, time_t since)
{
    struct stat status;
    int fd = regular_file_open(path, O_NOFOLLOW, &status);
    if (fd < 0)
        return fd;
    if ((status.st_uid == uid || status.st_uid == 0) && status.st_mtime >= since)
        return fd;
    close(fd);
    return -EPERM;
}

static char *jit_symbols_text(int fd, size_t *bytes)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return NULL;
    size_t room = status.st_size < JIT_SYMBOLS_BYTES ? (size_t)status.st_size : JIT_SYMBOLS_BYTES;
    char *text = malloc(room + 1);
    ssize_t n = 0;
    for (*bytes = 0; text && *bytes < room && (n = read(fd, text + *bytes, room - *bytes)) > 0;)
        *bytes += (size_t)n;
    return text;
}

int jit_symbols_read(struct jit_symbols *map, pid_t pid, uid_t uid, time_t since)
{
    char path[64];
    size_t bytes = 0;
    *map = (struct jit_symbols){0};
    snprintf(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", pid, pid);
    int fd = jit_symbols_open(path, uid, since);
    if (fd < 0) {
        snprintf(path, sizeof path, "/tmp/perf-%d.map", pid);
        fd = jit_symbols_open(path, uid, since);
    }
    if (fd < 0)
        return fd;
    char *text = jit_symbols_text(fd, &bytes);
    close(fd);
    int status = text ? jit_symbols_parse(map, text, bytes) : -ENOMEM;
    map->text = text;
    return status;
}

// --- finding

// Entries overlap where code was replaced: all that begin before the address and may reach it have to be looked at.
enum { JIT_SYMBOLS_LOOK_BACK = 1000 };         // more at one place are no compiler's work

const struct jit_symbols_entry *jit_symbols_find(const struct jit_symbols *map, uint64_t address)
{
    const size_t begun = search_at_most(map->entries, map->count, sizeof *map->entries,
                                        offsetof(struct jit_symbols_entry, start), address);
    const struct jit_symbols_entry *found = NULL;
    for (size_t i = begun; i-- > 0 && map->entries[i].reach > address;) {
        const struct jit_symbols_entry *entry = &map->entries[i];
        if (begun - i > JIT_SYMBOLS_LOOK_BACK)
            return NULL;
        if (address >= entry->end)
            continue;
        if (found && strcmp(found->name, entry->name) != 0)
            return NULL;
        found = entry;
    }
    return found;
}

void jit_symbols_free(struct jit_symbols *map)
{
    free(map->entries);
    free(map->text);
    *map = (struct jit_symbols){0};
}
