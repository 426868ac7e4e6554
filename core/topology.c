// SPDX-License-Identifier: Apache-2.0
#include "core/topology.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sysfile.h"
#include "core/topology_parts.h"

int topology_read(struct topology *t, const char *root)
{
    *t = (struct topology){0};
    struct topology_reader r = {.t = t, .root = root};
    int status = topology_cpus_read(&r);
    if (status < 0)
        goto done;
    if ((status = topology_nodes_read(&r)) < 0)
        goto done;
    topology_memory_read(&r);
    topology_caches_read(&r);
    topology_allowed_read(&r);
    topology_remarks_add(&r);
    status = 0;
done:
    if (status < 0)
        topology_free(t);
    return status;
}

void topology_free(struct topology *t)
{
    free(t->cpus);
    free(t->nodes);
    free(t->distance);
    *t = (struct topology){0};
}

// Both structs begin with their number, and both arrays are in its order.
static int topology_compare_ids(const void *key, const void *entry)
{
    return *(const int *)key - *(const int *)entry;
}

struct topology_cpu *topology_cpu_entry(struct topology *t, int id)
{
    return t->cpus ? bsearch(&id, t->cpus, t->cpu_count, sizeof *t->cpus, topology_compare_ids) : NULL;
}

struct topology_node *topology_node_entry(struct topology *t, int id)
{
    return t->nodes ? bsearch(&id, t->nodes, t->node_count, sizeof *t->nodes, topology_compare_ids) : NULL;
}

const struct topology_cpu *topology_cpu(const struct topology *t, int id)
{
    return t->cpus ? bsearch(&id, t->cpus, t->cpu_count, sizeof *t->cpus, topology_compare_ids) : NULL;
}

const struct topology_node *topology_node(const struct topology *t, int id)
{
    return t->nodes ? bsearch(&id, t->nodes, t->node_count, sizeof *t->nodes, topology_compare_ids) : NULL;
}

int topology_distance(const struct topology *t, int from_node, int to_node)
{
    const struct topology_node *from = topology_node(t, from_node), *to = topology_node(t, to_node);
    return from && to ? t->distance[(size_t)(from - t->nodes) * t->node_count + (size_t)(to - t->nodes)]
                      : TOPOLOGY_UNKNOWN;
}

const char *topology_memory_name(enum topology_memory memory)
{
    static const char *const names[] = {
        [TOPOLOGY_MEMORY_NONE] = "none",           [TOPOLOGY_MEMORY_DRAM] = "DRAM", [TOPOLOGY_MEMORY_HBM] = "HBM",
        [TOPOLOGY_MEMORY_CXL] = "CXL",             [TOPOLOGY_MEMORY_PERSISTENT] = "persistent",
        [TOPOLOGY_MEMORY_GPU] = "GPU",             [TOPOLOGY_MEMORY_UNTOLD] = "untold",
    };
    return names[memory];
}

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

int topology_list(struct topology_reader *r, struct cpulist *set, const char *path_format, ...)
{
    char path[TOPOLOGY_PATH_BYTES], *text;
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(path, sizeof path, path_format, arguments);
    va_end(arguments);
    *set = (struct cpulist){0};
    int status = sysfile_whole(r->root, &text, "%s", path);
    if (status < 0)
        return status;
    status = cpulist_parse(set, text);
    free(text);
    if (status < 0) {
        *set = (struct cpulist){0};
        topology_bad_file(r, "%s", path);
    }
    return status;
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
