// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/topology/cmd_topology_json.h"

#include <errno.h>
#include <stdlib.h>

#include "core/text/json.h"
#include "core/topology/topology_pin.h"
#include "profiler/measure/result/result_json.h"

static void cmd_topology_json_list(struct json *json, const char *key, const struct cpulist *set)
{
    char text[CPULIST_TEXT_BYTES];
    json_text(json, key, cpulist_format(text, sizeof text, set));
}

static void cmd_topology_json_nodes(struct json *json, const struct topology *t)
{
    json_array(json, "nodes");
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        json_object(json, NULL);
        json_number(json, "id", node->id);
        json_number_known(json, "package", node->package);
        json_text(json, "memory", topology_memory_name(node->memory));
        json_number_known(json, "mem_bytes", node->mem_bytes);
        json_number_known(json, "free_bytes", node->free_bytes);
        json_number_known(json, "llc_bytes", node->llc_bytes);
        json_flag(json, "allowed", node->allowed);
        cmd_topology_json_list(json, "cpus", &node->cpus);
        json_close(json);
    }
    json_close(json);
}

static void cmd_topology_json_cpus(struct json *json, const struct topology *t)
{
    json_array(json, "cpus");
    for (size_t i = 0; i < t->cpu_count; i++) {
        const struct topology_cpu *cpu = &t->cpus[i];
        json_object(json, NULL);
        json_number(json, "id", cpu->id);
        json_number_known(json, "node", cpu->node);
        json_number_known(json, "package", cpu->package);
        json_number_known(json, "core", cpu->core);
        json_number_known(json, "thread", cpu->thread);
        json_flag(json, "online", cpu->online);
        json_flag(json, "allowed", cpu->allowed);
        json_close(json);
    }
    json_close(json);
}

static void cmd_topology_json_numbers(struct json *json, const char *key, const int *numbers, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_number_known(json, NULL, numbers[i]);
    json_close(json);
}

static void cmd_topology_json_distances(struct json *json, const struct topology *t)
{
    json_array(json, "distances");
    for (size_t from = 0; from < t->node_count; from++)
        cmd_topology_json_numbers(json, NULL, t->distance + from * t->node_count, t->node_count);
    json_close(json);
}

static int cmd_topology_json_pin(struct json *json, const struct topology *t)
{
    static const char *const names[] = {[TOPOLOGY_PIN_COMPACT] = "compact", [TOPOLOGY_PIN_SCATTER] = "scatter"};
    int *cpus = calloc(t->cpu_count, sizeof *cpus), count = -ENOMEM;
    json_object(json, "pin");
    for (size_t i = 0; cpus && i < sizeof names / sizeof *names; i++) {
        count = topology_pin_order(t, (enum topology_pin)i, cpus, t->cpu_count);
        if (count < 0)
            break;
        cmd_topology_json_numbers(json, names[i], cpus, (size_t)count);
    }
    json_close(json);
    free(cpus);
    return count < 0 ? count : 0;
}

int cmd_topology_json_print(FILE *file, const struct topology *t, const struct result *measured, const char *root)
{
    struct json json = json_begin(file, "topology", 1);
    json_flag(&json, "numa", t->numa);
    cmd_topology_json_nodes(&json, t);
    cmd_topology_json_cpus(&json, t);
    cmd_topology_json_distances(&json, t);
    cmd_topology_json_list(&json, "allowed_cpus", &t->allowed_cpus);
    cmd_topology_json_list(&json, "allowed_nodes", &t->allowed_nodes);
    cmd_topology_json_list(&json, "offline_nodes", &t->offline_nodes);
    int status = cmd_topology_json_pin(&json, t);
    if (status < 0)
        return status;
    json_array(&json, "remarks");
    for (size_t i = 0; i < t->note_count; i++)
        json_text(&json, NULL, t->notes[i]);
    json_close(&json);
    if (measured)
        result_json_measured(&json, measured, t, root);
    json_end(&json);
    return 0;
}
