// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/machine.h"

#include <stdlib.h>
#include <string.h>

struct machine machine;

// q35 with max-ram-below-4g=2G: memory beyond the first 2 GiB continues at 4 GiB.
static const uint64_t machine_low = 2ull << 30, machine_high = 4ull << 30;

enum { MACHINE_LIST = LAB_NODES * LAB_NODES > LAB_CPUS ? LAB_NODES * LAB_NODES : LAB_CPUS };

// Numbers separated by colons. Returns how many; 0 if there is anything else or too many.
static unsigned machine_list(const char *text, uint64_t *values)
{
    unsigned count = 0;
    for (;;) {
        char *end;
        if (count == MACHINE_LIST || *text < '0' || *text > '9')
            return 0;
        values[count++] = strtoull(text, &end, 10);
        if (*end == '\0')
            return count;
        if (*end != ':')
            return 0;
        text = end + 1;
    }
}

static bool machine_cache_from(struct machine_cache *cache, const uint64_t *values, unsigned count)
{
    if (count != 2 || values[1] == 0 || values[1] > MACHINE_SHARED_WAYS)
        return false;
    cache->ways = (unsigned)values[1];
    cache->sets = (values[0] >> MACHINE_LINE_SHIFT) / cache->ways;
    return cache->sets > 0 && (cache->sets & (cache->sets - 1)) == 0;
}

static bool machine_prefetch_from(const uint64_t *values, unsigned count)
{
    if (count != 4)
        return false;
    machine.prefetch.lines = (unsigned)values[0];
    machine.prefetch.into_shared = values[1];
    machine.prefetch.crossing = values[2];
    machine.prefetch.skip = (unsigned)values[3];
    return true;
}

static bool machine_small_from(unsigned *out, unsigned limit, unsigned below, const uint64_t *values, unsigned count)
{
    if (count > limit)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (values[i] >= below)
            return false;
        out[i] = (unsigned)values[i];
    }
    return true;
}

static bool machine_set(const char *name, const uint64_t *values, unsigned count)
{
    if (strcmp(name, "memory") == 0) {
        machine.nodes = count;
        if (count > LAB_NODES)
            return false;
        uint64_t bytes = 0;
        for (unsigned i = 0; i < count; i++) {
            bytes += values[i];
            machine.end[i] = bytes <= machine_low ? bytes : bytes - machine_low + machine_high;
        }
        return true;
    }
    if (strcmp(name, "cpus") == 0) {
        machine.cpus = count;
        return machine_small_from(machine.node_of_cpu, LAB_CPUS, LAB_NODES, values, count);
    }
    if (strcmp(name, "packages") == 0)
        return machine_small_from(machine.package, LAB_NODES, LAB_NODES, values, count);
    if (strcmp(name, "slow") == 0)
        return machine_small_from(machine.slow, LAB_NODES, 2, values, count);
    if (strcmp(name, "distances") == 0) {
        for (unsigned i = 0; i < count; i++)
            machine.distance[i / machine.nodes][i % machine.nodes] = (unsigned)values[i];
        return count == machine.nodes * machine.nodes;
    }
    if (strcmp(name, "truth") == 0)
        return machine_small_from(&machine.truth, 1, 2, values, count);
    if (strcmp(name, "private") == 0)
        return machine_cache_from(&machine.private, values, count);
    if (strcmp(name, "shared-cache") == 0)
        return machine_cache_from(&machine.shared, values, count);
    return strcmp(name, "prefetch") == 0 && machine_prefetch_from(values, count);
}

const char *machine_parse(int argc, char **argv, const char **bad)
{
    for (int i = 0; i < argc; i++) {
        uint64_t values[MACHINE_LIST];
        char *equals = strchr(argv[i], '=');
        *bad = argv[i];
        if (!equals)
            return "is not NAME=VALUE";
        *equals = '\0';
        if (strcmp(argv[i], "shared") == 0) {
            machine.shared_path = strdup(equals + 1);
            continue;
        }
        unsigned count = machine_list(equals + 1, values);
        if (count == 0 || !machine_set(argv[i], values, count))
            return "is not known, or its value makes no sense";
    }
    *bad = "";
    return machine.shared_path && machine.cpus && machine.private.sets && machine.shared.sets
               ? NULL : "arguments are missing";
}

unsigned machine_home(uint64_t physical)
{
    if (physical - machine_low < machine_high - machine_low)
        return MACHINE_NO_NODE;
    unsigned node = 0;
    while (node < machine.nodes && physical >= machine.end[node])
        node++;
    return node < machine.nodes ? node : MACHINE_NO_NODE;
}

enum lab_where machine_where(unsigned from_node, unsigned to_node)
{
    if (from_node == to_node)
        return LAB_HERE;
    return machine.package[from_node] == machine.package[to_node] ? LAB_NEAR : LAB_FAR;
}

enum lab_outcome machine_memory(unsigned from_node, unsigned home)
{
    enum lab_where where = machine_where(from_node, home);
    return machine.slow[home] ? LAB_SLOW + (where == LAB_FAR) : LAB_MEMORY + where;
}

uint32_t machine_latency(unsigned node, enum lab_outcome outcome, unsigned from)
{
    enum { MEMORY = 20, CACHE = 18, DIRTY = 22 };
    static const uint32_t near[LAB_MEMORY] = {
        [LAB_OWN] = LAB_LATENCY_OWN, [LAB_HIT] = 40, [LAB_HIT_CLEAN] = 60, [LAB_HIT_MODIFIED] = 75};
    if (outcome < LAB_MEMORY)
        return near[outcome];
    const uint32_t step = outcome < LAB_CACHE || outcome >= LAB_SLOW ? MEMORY : outcome < LAB_DIRTY ? CACHE : DIRTY;
    return machine.distance[node][from] * step;
}
