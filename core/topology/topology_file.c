// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"
#include "core/topology/topology_parts.h"

void topology_note(struct topology *t, const char *format, ...)
{
    if (t->note_count == TOPOLOGY_NOTES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->notes[t->note_count++], TOPOLOGY_NOTE_BYTES, format, arguments);
    va_end(arguments);
}

void topology_bad_file(struct topology_reader *r, const char *path_format, ...)
{
    if (r->bad_files++ > 0)
        return;
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(r->first_bad, sizeof r->first_bad, path_format, arguments);
    va_end(arguments);
}

static int topology_read_set(struct topology_reader *r, struct cpulist *set, const char *path,
                             int (*parse)(struct cpulist *set, const char *text))
{
    char *text;
    *set = (struct cpulist){0};
    int status = sysfile_whole(r->root, &text, "%s", path);
    if (status < 0)
        return status;
    status = parse(set, text);
    free(text);
    if (status < 0) {
        *set = (struct cpulist){0};
        topology_bad_file(r, "%s", path);
    }
    return status;
}

int topology_list(struct topology_reader *r, struct cpulist *set, const char *path_format, ...)
{
    char path[TOPOLOGY_PATH_BYTES];
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(path, sizeof path, path_format, arguments);
    va_end(arguments);
    return topology_read_set(r, set, path, cpulist_parse);
}

int topology_cpu_set(struct topology_reader *r, struct cpulist *set, enum topology_cpu_file file,
                     const char *folder_format, ...)
{
    static const struct {
        const char *list, *mask;
    } names[] = {
        [TOPOLOGY_NODE_CPUS] = {"cpulist", "cpumap"},
        [TOPOLOGY_CORE_CPUS] = {"thread_siblings_list", "thread_siblings"}, // old names, which new kernels still offer
        [TOPOLOGY_CACHE_CPUS] = {"shared_cpu_list", "shared_cpu_map"},
    };
    char folder[TOPOLOGY_PATH_BYTES / 2], path[TOPOLOGY_PATH_BYTES];
    va_list arguments;
    va_start(arguments, folder_format);
    vsnprintf(folder, sizeof folder, folder_format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s/%s", folder, names[file].list);
    int status = topology_read_set(r, set, path, cpulist_parse);
    if (status != -ENOENT)
        return status;
    snprintf(path, sizeof path, "%s/%s", folder, names[file].mask);
    return topology_read_set(r, set, path, cpulist_parse_mask);
}

int topology_number(struct topology_reader *r, int min, const char *path_format, ...)
{
    char path[TOPOLOGY_PATH_BYTES];
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(path, sizeof path, path_format, arguments);
    va_end(arguments);
    int64_t value;
    int status = sysfile_number(r->root, &value, "%s", path);
    if (status == 0 && value >= min && value <= INT_MAX)
        return (int)value;
    if (status == 0 || status == -EINVAL)
        topology_bad_file(r, "%s", path);
    return TOPOLOGY_UNKNOWN;
}

int64_t topology_meminfo(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    if (!found)
        return TOPOLOGY_UNKNOWN;
    char *end;
    errno = 0;
    long long kilobytes = strtoll(found + strlen(key), &end, 10);
    bool valid = errno == 0 && kilobytes >= 0 && kilobytes <= INT64_MAX / 1024 && strncmp(end, " kB", 3) == 0;
    return valid ? kilobytes * 1024 : TOPOLOGY_UNKNOWN;
}
