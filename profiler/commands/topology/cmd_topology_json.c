// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/topology/cmd_topology_json.h"

#include <errno.h>
#include <stdlib.h>

#include "core/text/json.h"
#include "core/topology/topology_pin.h"
#include "profiler/measure/result/result_json.h"

static void cmd_topology_json_list(FILE *file, const struct cpulist *set)
{
    char text[CPULIST_TEXT_BYTES];
    json_text(file, cpulist_format(text, sizeof text, set));
}

static void cmd_topology_json_field(FILE *file, const char *name, int64_t value)
{
    fprintf(file, ", \"%s\": ", name);
    json_number(file, value, TOPOLOGY_UNKNOWN);
}

static void cmd_topology_json_flag(FILE *file, const char *name, bool value)
{
    fprintf(file, ", \"%s\": %s", name, value ? "true" : "false");
}

static void cmd_topology_json_nodes(FILE *file, const struct topology *t)
{
    fputs("  \"nodes\": [", file);
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        fprintf(file, "%s\n    {\"id\": %d", i > 0 ? "," : "", node->id);
        cmd_topology_json_field(file, "package", node->package);
        fprintf(file, ", \"memory\": \"%s\"", topology_memory_name(node->memory));
        cmd_topology_json_field(file, "mem_bytes", node->mem_bytes);
        cmd_topology_json_field(file, "free_bytes", node->free_bytes);
        cmd_topology_json_field(file, "llc_bytes", node->llc_bytes);
        cmd_topology_json_flag(file, "allowed", node->allowed);
        fputs(", \"cpus\": ", file);
        cmd_topology_json_list(file, &node->cpus);
        putc('}', file);
    }
    fputs("\n  ],\n", file);
}

static void cmd_topology_json_cpus(FILE *file, const struct topology *t)
{
    fputs("  \"cpus\": [", file);
    for (size_t i = 0; i < t->cpu_count; i++) {
        const struct topology_cpu *cpu = &t->cpus[i];
        fprintf(file, "%s\n    {\"id\": %d", i > 0 ? "," : "", cpu->id);
        cmd_topology_json_field(file, "node", cpu->node);
        cmd_topology_json_field(file, "package", cpu->package);
        cmd_topology_json_field(file, "core", cpu->core);
        cmd_topology_json_field(file, "thread", cpu->thread);
        cmd_topology_json_flag(file, "online", cpu->online);
        cmd_topology_json_flag(file, "allowed", cpu->allowed);
        putc('}', file);
    }
    fputs("\n  ],\n", file);
}

static void cmd_topology_json_numbers(FILE *file, const int *numbers, size_t count)
{
    putc('[', file);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", file);
        json_number(file, numbers[i], TOPOLOGY_UNKNOWN);
    }
    putc(']', file);
}

static void cmd_topology_json_distances(FILE *file, const struct topology *t)
{
    fputs("  \"distances\": [", file);
    for (size_t from = 0; from < t->node_count; from++) {
        fputs(from > 0 ? ",\n    " : "\n    ", file);
        cmd_topology_json_numbers(file, t->distance + from * t->node_count, t->node_count);
    }
    fputs("\n  ],\n", file);
}

static int cmd_topology_json_pin(FILE *file, const struct topology *t)
{
    static const char *const names[] = {[TOPOLOGY_PIN_COMPACT] = "compact", [TOPOLOGY_PIN_SCATTER] = "scatter"};
    int *cpus = calloc(t->cpu_count, sizeof *cpus), count = -ENOMEM;
    if (!cpus)
        goto done;
    fputs("  \"pin\": {", file);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        count = topology_pin_order(t, (enum topology_pin)i, cpus, t->cpu_count);
        if (count < 0)
            goto done;
        fprintf(file, "%s\"%s\": ", i > 0 ? ", " : "", names[i]);
        cmd_topology_json_numbers(file, cpus, (size_t)count);
    }
    fputs("},\n", file);
done:
    free(cpus);
    return count < 0 ? count : 0;
}

int cmd_topology_json_print(FILE *file, const struct topology *t, const struct result *measured, const char *root)
{
    fprintf(file, "{\n  \"version\": 1,\n  \"numa\": %s,\n", t->numa ? "true" : "false");
    cmd_topology_json_nodes(file, t);
    cmd_topology_json_cpus(file, t);
    cmd_topology_json_distances(file, t);
    fputs("  \"allowed_cpus\": ", file);
    cmd_topology_json_list(file, &t->allowed_cpus);
    fputs(",\n  \"allowed_nodes\": ", file);
    cmd_topology_json_list(file, &t->allowed_nodes);
    fputs(",\n  \"offline_nodes\": ", file);
    cmd_topology_json_list(file, &t->offline_nodes);
    fputs(",\n", file);
    int status = cmd_topology_json_pin(file, t);
    if (status < 0)
        return status;
    fputs("  \"remarks\": [", file);
    for (size_t i = 0; i < t->note_count; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", file);
        json_text(file, t->notes[i]);
    }
    fputs(t->note_count > 0 ? "\n  ]" : "]", file);
    if (measured) {
        fputs(",\n  \"measured\": ", file);
        result_json_measured(file, measured, t, root);
    }
    fputs("\n}\n", file);
    return 0;
}
