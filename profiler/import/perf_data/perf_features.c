// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_data/perf_features.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static int perf_features_texts(const char ***out, size_t *out_count, struct perf_bytes *from)
{
    const uint32_t count = perf_bytes_u32(from);
    if (count > (uint64_t)(from->end - from->at) / sizeof(uint32_t))
        return 0; // each text has a length of 4 bytes
    const char **texts = calloc(count ? count : 1, sizeof *texts);
    if (!texts)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        texts[i] = perf_bytes_text(from);
    free(*out);
    *out = texts;
    *out_count = count;
    return 0;
}

// Attributes, number of ids, name, ids. The attributes are read from the file's header instead.
static int perf_features_events(struct perf_features *features, struct perf_bytes *from)
{
    const uint32_t count = perf_bytes_u32(from), attr_bytes = perf_bytes_u32(from);
    if (count > (uint64_t)(from->end - from->at) / sizeof(uint64_t))
        return 0;
    const char **names = calloc(count ? count : 1, sizeof *names);
    if (!names)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        perf_bytes_take(from, attr_bytes);
        const uint32_t ids = perf_bytes_u32(from);
        names[i] = perf_bytes_text(from);
        perf_bytes_take(from, (uint64_t)ids * sizeof(uint64_t));
    }
    free(features->event_names);
    features->event_names = names;
    features->event_count = from->is_short ? 0 : count;
    return 0;
}

static int perf_features_nodes(struct perf_features *features, struct perf_bytes *from)
{
    enum { KIB = 1024 };
    const uint32_t count = perf_bytes_u32(from);
    if (count > PERF_FEATURES_NODES || features->nodes)
        return 0;
    features->nodes = calloc(count ? count : 1, sizeof *features->nodes);
    if (!features->nodes)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct perf_features_node node = {.id = (int)perf_bytes_u32(from)};
        node.mem_bytes = perf_bytes_u64(from) * KIB;
        node.free_bytes = perf_bytes_u64(from) * KIB;
        node.cpus = perf_bytes_text(from);
        if (!from->is_short && node.id >= 0 && node.id < PERF_FEATURES_NODES)
            features->nodes[features->node_count++] = node;
    }
    return 0;
}

// Two lists of siblings, then core and package of each CPU that the kernel knows; from Linux 5.3 on, dies follow.
static int perf_features_cpu_places(struct perf_features *features, struct perf_bytes *from)
{
    for (int list = 0; list < 2; list++)
        for (uint32_t i = perf_bytes_u32(from); i > 0 && !from->is_short; i--)
            perf_bytes_text(from);
    const size_t room = (size_t)(from->end - from->at) / (2 * sizeof(uint32_t));
    const size_t count = features->cpu_count < room ? features->cpu_count : room;
    if (features->cpus || from->is_short)
        return 0;
    features->cpus = calloc(count ? count : 1, sizeof *features->cpus);
    if (!features->cpus)
        return -ENOMEM;
    features->cpu_count = count;
    for (size_t i = 0; i < count; i++) {
        features->cpus[i].core = (int)perf_bytes_u32(from);
        features->cpus[i].package = (int)perf_bytes_u32(from);
    }
    return 0;
}

// Version, bytes of a block, nodes; of each its number, how many bits (twice), and the bits.
static int perf_features_blocks(struct perf_features *features, struct perf_bytes *from)
{
    enum { VERSION = 1, WORD_BITS = 64 };
    const uint64_t version = perf_bytes_u64(from), block = perf_bytes_u64(from), count = perf_bytes_u64(from);
    if (version != VERSION || block == 0 || count > PERF_FEATURES_NODES || features->memory)
        return 0;
    features->memory = calloc(count ? count : 1, sizeof *features->memory);
    if (!features->memory)
        return -ENOMEM;
    features->block_bytes = block;
    for (uint64_t i = 0; i < count; i++) {
        struct perf_features_memory memory = {.node = (int)perf_bytes_u64(from), .blocks = perf_bytes_u64(from)};
        if (perf_bytes_u64(from) != memory.blocks)
            break;
        const uint64_t words = memory.blocks / WORD_BITS + (memory.blocks % WORD_BITS != 0);
        memory.set = words <= UINT64_MAX / sizeof(uint64_t) ? perf_bytes_take(from, words * sizeof(uint64_t)) : NULL;
        if (!memory.set)
            break;
        features->memory[features->memory_count++] = memory;
    }
    return 0;
}

// Present CPUs: the larger of the two numbers; the other one counts online CPUs.
static size_t perf_features_cpus(struct perf_bytes *from)
{
    const uint32_t one = perf_bytes_u32(from), other = perf_bytes_u32(from), most = one > other ? one : other;
    return most < PERF_FEATURES_CPUS ? most : PERF_FEATURES_CPUS;
}

static void perf_features_clock(struct perf_features *features, struct perf_bytes *from)
{
    enum { VERSION = 1 };
    const uint32_t version = perf_bytes_u32(from);
    perf_bytes_u32(from); // which clock: the one of the records
    const uint64_t wall = perf_bytes_u64(from), time = perf_bytes_u64(from);
    if (version != VERSION || from->is_short)
        return;
    features->wall_ns = wall;
    features->wall_time = time;
}

static const char **perf_features_place(struct perf_features *features, unsigned bit)
{
    switch (bit) {
    case PERF_FEATURES_HOSTNAME:
        return &features->host;
    case PERF_FEATURES_OSRELEASE:
        return &features->kernel;
    case PERF_FEATURES_VERSION:
        return &features->perf;
    case PERF_FEATURES_ARCH:
        return &features->arch;
    case PERF_FEATURES_CPUDESC:
        return &features->cpu_name;
    case PERF_FEATURES_CPUID:
        return &features->cpu_id;
    default:
        return NULL;
    }
}

struct perf_features_copy {
    struct perf_features_copy *next;
    char bytes[];
};

const char *perf_features_keep(struct perf_features *features, const char *at, size_t bytes)
{
    struct perf_features_copy *copy = malloc(sizeof *copy + bytes);
    if (!copy)
        return NULL;
    memcpy(copy->bytes, at, bytes);
    copy->next = features->copies;
    features->copies = copy;
    features->copied += bytes;
    return copy->bytes;
}

int perf_features_take(struct perf_features *features, unsigned bit, const char *section, size_t bytes)
{
    enum { MOST_BYTES = 64 << 20 }; // of all sections; perf writes some 100 KB
    if (bytes > MOST_BYTES - features->copied)
        return 0;
    const char *at = perf_features_keep(features, section, bytes);
    if (!at)
        return -ENOMEM;
    struct perf_bytes from = {.at = at, .end = at + bytes, .is_swapped = features->is_swapped};
    const char **text = perf_features_place(features, bit);
    if (text) {
        const char *value = perf_bytes_text(&from);
        *text = *value ? value : NULL;
        return 0;
    }
    switch (bit) {
    case PERF_FEATURES_COMPRESSED:
        features->is_compressed = true;
        return 0;
    case PERF_FEATURES_NRCPUS:
        if (!features->cpus)
            features->cpu_count = perf_features_cpus(&from);
        return 0;
    case PERF_FEATURES_CMDLINE:
        return perf_features_texts(&features->command, &features->command_count, &from);
    case PERF_FEATURES_EVENT_DESC:
        return perf_features_events(features, &from);
    case PERF_FEATURES_CPU_TOPOLOGY:
        return perf_features_cpu_places(features, &from);
    case PERF_FEATURES_NUMA_TOPOLOGY:
        return perf_features_nodes(features, &from);
    case PERF_FEATURES_MEM_TOPOLOGY:
        return perf_features_blocks(features, &from);
    case PERF_FEATURES_SAMPLE_TIME:
        features->first_time = perf_bytes_u64(&from);
        features->last_time = perf_bytes_u64(&from);
        return 0;
    case PERF_FEATURES_CLOCK_DATA:
        perf_features_clock(features, &from);
        return 0;
    case PERF_FEATURES_BUILD_ID:
        features->build_ids = at;
        features->build_ids_end = at + bytes;
        return 0;
    default:
        return 0;
    }
}

void perf_features_free(struct perf_features *features)
{
    free(features->command);
    free(features->event_names);
    free(features->nodes);
    free(features->cpus);
    free(features->memory);
    table_free(&features->node_of_block);
    while (features->copies) {
        struct perf_features_copy *next = features->copies->next;
        free(features->copies);
        features->copies = next;
    }
    *features = (struct perf_features){0};
}

static bool perf_features_has_block(const struct perf_features *features, const struct perf_features_memory *memory,
                                    uint64_t block)
{
    enum { WORD_BITS = 64 };
    uint64_t word;
    if (block >= memory->blocks)
        return false;
    memcpy(&word, memory->set + block / WORD_BITS * sizeof word, sizeof word);
    word = features->is_swapped ? __builtin_bswap64(word) : word;
    return word >> block % WORD_BITS & 1;
}

int perf_features_node_of(const struct perf_features *features, uint64_t physical)
{
    if (physical == 0 || features->block_bytes == 0)
        return -1;
    const uint64_t block = physical / features->block_bytes;
    uint64_t node;
    if (table_get(&features->node_of_block, block, &node))
        return (int)node;
    for (size_t i = 0; i < features->memory_count; i++)
        if (perf_features_has_block(features, &features->memory[i], block))
            return features->memory[i].node;
    return -1;
}
