// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/emulated.h"
#include "core/system/sysfile.h"
#include "profiler/live/live.h"

static void live_document_machine(const struct live *live, struct json *json)
{
    char emulated[64];
    json_array(json, "nodes");
    for (size_t i = 0; i < live->topology.node_count; i++) {
        const struct topology_node *node = &live->topology.nodes[i];
        json_object(json, NULL);
        json_number(json, "id", node->id);
        json_number_known(json, "mem_bytes", node->mem_bytes);
        json_array(json, "cpus");
        for (size_t j = 0; j < live->topology.cpu_count; j++)
            if (live->topology.cpus[j].online && live->topology.cpus[j].node == node->id)
                json_number(json, NULL, live->topology.cpus[j].id);
        json_close(json);
        json_close(json);
    }
    json_close(json);
    json_number(json, "page_bytes", sysconf(_SC_PAGESIZE));
    json_flag(json, "emulated", emulated_name(emulated, sizeof emulated, ""));
}

static void live_document_group(struct json *json, const struct counters_group *group)
{
    json_array(json, NULL);
    for (int i = 0; i < group->count; i++) {
        const struct event_entry *source = group->events[i].source;
        json_object(json, NULL);
        json_number(json, "id", group->events[i].id);
        json_text(json, "name", source->name ? source->name : source->class);
        json_text(json, "class", source->class);
        json_text(json, "placement", source->placement);
        json_close(json);
    }
    json_close(json);
}

// Writes why nothing is counted; null if something is.
static void live_document_missing(struct live *live, struct json *json)
{
    static const struct perf_reason none = {0},
        one_node = {"this machine has one node: no access can be remote", NULL},
        no_model = {"this CPU model is not in the event catalogue", "see docs/dev/adding-a-cpu.md"};
    const int error = live->counters.error;
    const struct perf_reason *reason = live->counters.usable > 0           ? &none
                                       : live->topology.node_count == 1 ? &one_node
                                       : error == -ENODATA              ? &no_model
                                                                        : refusals_explain(&live->refusals, error);
    json_text(json, "cause", reason->cause);
    json_text(json, "remedy", reason->remedy);
}

void live_document_header(struct live *live)
{
    struct json json = json_begin(live->file, "top", 1);
    live_document_machine(live, &json);
    json_array(&json, "groups");
    for (int i = 0; i < live->counters.group_count; i++)
        if (live->counters.groups[i].error == 0)
            live_document_group(&json, &live->counters.groups[i]);
    json_close(&json);
    live_document_missing(live, &json);
    json_flag(&json, "with_kernel", !live->counters.exclude_kernel);
    json_end(&json);
    fflush(live->file);
}

// The number in the line "NAME NUMBER" of the text; -1: there is no such line.
static int64_t live_document_find(const char *text, const char *name)
{
    const char *at = text ? strstr(text, name) : NULL;
    return at ? strtoll(at + strlen(name), NULL, 10) : -1;
}

void live_document_nodes(const struct live *live, struct json *json)
{
    const int64_t KB = 1024;
    char text[512], *machine = NULL;
    json_array(json, "free_bytes");
    for (size_t i = 0; i < live->topology.node_count; i++) {
        const int node = live->topology.nodes[i].id;
        int status = sysfile_head("", text, sizeof text, "/sys/devices/system/node/node%d/meminfo", node);
        int64_t free_kb = live_document_find(status > 0 ? text : NULL, "MemFree:");
        json_number_known(json, NULL, free_kb >= 0 ? free_kb * KB : -1);
    }
    json_close(json);
    if (sysfile_whole("", &machine, "/proc/vmstat") < 0)
        machine = NULL;
    json_number_known(json, "migrated", live_document_find(machine, "\nnuma_pages_migrated "));
    free(machine);
}
