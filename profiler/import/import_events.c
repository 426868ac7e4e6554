// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/import_events.h"

#include <string.h>

#include "event_words.h"

static const struct event_entry *import_events_find(const struct event_catalogue *catalogue,
                                                    const struct event_cpu *cpu, const struct perf_event_attr *attr)
{
    if (attr->type != PERF_TYPE_RAW)
        return NULL;
    for (int i = 0; i < catalogue->event_count; i++) {
        const struct event_entry *entry = &catalogue->events[i];
        if (entry->config == attr->config && entry->config1 == attr->config1 &&
            event_catalogue_is_of(catalogue, entry->cpus, cpu))
            return entry;
    }
    return NULL;
}

const struct event_cpu *import_events_identify(struct perf_file *file, struct event_catalogue **catalogue,
                                               const struct cpu_identity *identity)
{
    if (event_catalogue_load(catalogue) < 0)
        return NULL;
    const struct event_cpu *cpu = event_catalogue_identify(*catalogue, identity);
    if (!cpu || cpu->pmu || cpu->node_wide || event_catalogue_is_fallback(cpu))
        return NULL; // event numbers of an unlisted CPU model may mean anything
    for (size_t i = 0; i < file->event_count; i++)
        file->events[i].known = import_events_find(*catalogue, cpu, &file->events[i].attr);
    return cpu;
}

enum load_source import_events_source(const struct perf_file_event *event)
{
    if (!event->known || !event_catalogue_is_retired(event->known))
        return LOAD_UNKNOWN;
    if (strcmp(event->known->placement, EVENT_LOCAL_DRAM) == 0)
        return LOAD_LOCAL_DRAM;
    return strcmp(event->known->placement, EVENT_REMOTE_DRAM) == 0 ? LOAD_REMOTE_DRAM : LOAD_UNKNOWN;
}

bool import_events_is_remote(const struct perf_file_event *event)
{
    static const char *const remote[] = {EVENT_REMOTE_DRAM, EVENT_REMOTE_NEAR_DRAM, EVENT_REMOTE_FAR_DRAM,
                                         EVENT_OTHER_CLUSTER_DRAM, EVENT_OTHER_CLUSTER_CACHE};
    for (size_t i = 0; event->known && i < sizeof remote / sizeof *remote; i++)
        if (strcmp(event->known->placement, remote[i]) == 0)
            return true;
    return false;
}
