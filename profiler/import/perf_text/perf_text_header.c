// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_text/perf_text_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KIB = 1024 };

// "# key : value"; NULL: it is another line.
static const char *perf_text_header_value(const char *line, const char *key)
{
    const size_t length = strlen(key);
    if (strncmp(line, "# ", 2) != 0 || strncmp(line + 2, key, length) != 0)
        return NULL;
    const char *at = line + 2 + length;
    at += strspn(at, " ");
    return at[0] == ':' && at[1] == ' ' ? at + 2 : NULL;
}

static int perf_text_header_text(struct perf_features *features, const char **place, const char *value)
{
    *place = perf_features_keep(features, value, strlen(value) + 1);
    return *place ? 0 : -ENOMEM;
}

// perf writes the words with a blank between them.
static int perf_text_header_command(struct perf_features *features, const char *value)
{
    enum { WORDS = 1 << 12 };
    char *rest = (char *)(uintptr_t)perf_features_keep(features, value, strlen(value) + 1);
    if (!features->command)
        features->command = calloc(WORDS, sizeof *features->command);
    if (!rest || !features->command)
        return -ENOMEM;
    features->command_count = 0;
    for (char *word; features->command_count < WORDS && (word = strsep(&rest, " "));)
        if (*word)
            features->command[features->command_count++] = word;
    return 0;
}

// "# CPU 3: Core ID 1, Die ID 0, Socket ID 0"
static int perf_text_header_cpu(struct perf_features *features, const char *line)
{
    int cpu, core, package;
    const char *socket = strstr(line, "Socket ID ");
    if (sscanf(line, "# CPU %d: Core ID %d", &cpu, &core) != 2 || !socket ||
        sscanf(socket, "Socket ID %d", &package) != 1 || cpu < 0 || cpu >= PERF_FEATURES_CPUS)
        return 0;
    if (!features->cpus) {
        features->cpus = calloc(PERF_FEATURES_CPUS, sizeof *features->cpus);
        if (!features->cpus)
            return -ENOMEM;
        for (int i = 0; i < PERF_FEATURES_CPUS; i++)
            features->cpus[i] = (struct perf_features_cpu){.core = -1, .package = -1};
        features->cpu_count = PERF_FEATURES_CPUS;
    }
    features->cpus[cpu] = (struct perf_features_cpu){.core = core, .package = package};
    return 0;
}

// "# node0 meminfo  : total = 1024 kB, free = 512 kB", then "# node0 cpu list : 0-3"
static int perf_text_header_node(struct perf_features *features, const char *line)
{
    struct perf_features_node node = {.cpus = ""};
    unsigned long long total, unused;
    int cpus = 0;
    if (sscanf(line, "# node%d meminfo : total = %llu kB, free = %llu", &node.id, &total, &unused) != 3) {
        struct perf_features_node *last = features->node_count > 0 ? &features->nodes[features->node_count - 1] : NULL;
        return last && sscanf(line, "# node%d cpu list : %n", &node.id, &cpus) == 1 && cpus > 0 && node.id == last->id
                   ? perf_text_header_text(features, &last->cpus, line + cpus) : 0;
    }
    if (!features->nodes)
        features->nodes = calloc(PERF_FEATURES_NODES, sizeof *features->nodes);
    if (!features->nodes)
        return -ENOMEM;
    node.mem_bytes = total * KIB;
    node.free_bytes = unused * KIB;
    if (features->node_count < PERF_FEATURES_NODES && node.id >= 0 && node.id < PERF_FEATURES_NODES)
        features->nodes[features->node_count++] = node;
    return 0;
}

// "0-3,7". perf cuts the list after 99 characters: the last number may have lost digits then.
static int perf_text_header_block_list(struct perf_features *features, int node, const char *list)
{
    enum { CUT_AT = 99, MOST = 1 << 22 };
    const char *end = list + strcspn(list, " \r\n");
    if (end - list >= CUT_AT)
        while (end > list && *end != ',')
            end--;
    for (char *at = (char *)(uintptr_t)list; at < end; at++) {
        const uint64_t first = strtoull(at, &at, 10), last = *at == '-' && at < end ? strtoull(at + 1, &at, 10) : first;
        for (uint64_t block = first; block <= last && block < MOST; block++)
            if (table_put(&features->node_of_block, block, (uint64_t)node) < 0)
                return -ENOMEM;
    }
    return 0;
}

// "# memory nodes (nr 2, block size 0x8000000):", then for each "#    0 [4G]: 0,2"
static int perf_text_header_blocks(struct perf_features *features, const char *line)
{
    unsigned long long bytes;
    int node, list = 0;
    if (sscanf(line, "# memory nodes (nr %*u, block size 0x%llx", &bytes) == 1)
        features->block_bytes = bytes;
    else if (features->block_bytes != 0 && sscanf(line, "# %d [%*[^]]]: %n", &node, &list) == 1 && list > 0 &&
             node >= 0 && node < PERF_FEATURES_NODES)
        return perf_text_header_block_list(features, node, line + list);
    return 0;
}

// When perf closed its file, by the clock and time zone of the computer that wrote the text.
static void perf_text_header_captured(struct perf_features *features, const char *value)
{
    struct tm local = {.tm_isdst = -1};
    const time_t end = strptime(value, "%a %b %e %H:%M:%S %Y", &local) ? mktime(&local) : -1;
    features->captured = end > 0 ? end : 0;
}

int perf_text_header_take(struct perf_features *features, const char *line)
{
    const struct {
        const char *key, **place;
    } texts[] = {
        {"hostname", &features->host},   {"os release", &features->kernel}, {"perf version", &features->perf},
        {"arch", &features->arch},       {"cpudesc", &features->cpu_name},  {"cpuid", &features->cpu_id},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *value = perf_text_header_value(line, texts[i].key);
        if (value)
            return *value && !*texts[i].place ? perf_text_header_text(features, texts[i].place, value) : 0;
    }
    const char *command = perf_text_header_value(line, "cmdline");
    const char *captured = perf_text_header_value(line, "captured on");
    if (command)
        return features->command_count == 0 ? perf_text_header_command(features, command) : 0;
    if (captured)
        perf_text_header_captured(features, captured);
    if (strncmp(line, "# CPU ", 6) == 0)
        return perf_text_header_cpu(features, line);
    return strncmp(line, "# node", 6) == 0 ? perf_text_header_node(features, line)
                                           : perf_text_header_blocks(features, line);
}

// The number behind a field of an event's description; 0: the field is not there.
static uint64_t perf_text_header_field(const char *fields, const char *name)
{
    const char *at = strstr(fields, name);
    return at ? strtoull(at + strlen(name), NULL, 0) : 0;
}

// "# event : name = cpu/mem-loads,ldlat=30/P, , id = { 11, 12 }, type = 4 (cpu), size = 128, config = 0x1cd, ..."; perf
// leaves out fields that are 0.
const char *perf_text_header_event(char *line, struct perf_event_attr *attr)
{
    static const char start[] = "# event : name = ";
    if (strncmp(line, start, sizeof start - 1) != 0)
        return NULL;
    char *name = line + sizeof start - 1, *fields = strstr(name, ", , id = {");
    fields = fields ? fields : strstr(name, ", type = ");
    fields = fields ? fields : strstr(name, ", size = ");
    if (!fields)
        return NULL;
    *attr = (struct perf_event_attr){
        .type = (uint32_t)perf_text_header_field(fields, ", type = "),
        .size = sizeof *attr,
        .config = perf_text_header_field(fields, ", config = "),
        .config1 = perf_text_header_field(fields, ", { bp_addr, config1 } = "),
        .sample_period = perf_text_header_field(fields, ", { sample_period, sample_freq } = "),
        .freq = perf_text_header_field(fields, ", freq = ") != 0,
        .exclude_user = perf_text_header_field(fields, ", exclude_user = ") != 0,
        .exclude_kernel = perf_text_header_field(fields, ", exclude_kernel = ") != 0,
    };
    *fields = '\0';
    return name;
}
