// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "collectors/events/event_encode.h"
#include "profiler/commands/events/cmd_events_view.h"

struct cmd_events_check_count {
    int agree, differ, unnamed, no_table;
};

static void cmd_events_check_event(const struct event_cpu *cpu, const struct event_entry *event,
                                   struct cmd_events_check_count *count)
{
    struct perf_event_attr named = {0};
    int status = event_encode_name(&named, cpu, event);
    if (status == -ENODATA) {
        count->unnamed++;
    } else if (status == -ENOENT) {
        count->no_table++;
    } else if (status == 0 && named.config == event->config && named.config1 == event->config1) {
        count->agree++;
    } else {
        count->differ++;
        printf("%s: %s::%s is %#" PRIx64 ":%#" PRIx64 " by libpfm4, %#" PRIx64 ":%#" PRIx64 " in the catalogue%s\n",
               cpu->name,
               cpu->libpfm, event->name, (uint64_t)named.config, (uint64_t)named.config1, event->config, event->config1,
               status < 0 ? " (libpfm4 does not take the name)" : "");
    }
}

static int cmd_events_check_cpu(const struct event_catalogue *catalogue, const struct event_cpu *cpu)
{
    struct cmd_events_check_count count = {0};
    for (int i = 0; i < catalogue->event_count; i++)
        if (event_catalogue_is_of(catalogue, catalogue->events[i].cpus, cpu))
            cmd_events_check_event(cpu, &catalogue->events[i], &count);
    printf("%s: ", cpu->name);
    if (count.agree || count.differ)
        printf("%d names agree with libpfm4, %d differ; ", count.agree, count.differ);
    if (count.no_table)
        printf("%d names not checkable, as there is no libpfm4 with a table %s; ", count.no_table, cpu->libpfm);
    printf("%d events without a name\n", count.unnamed);
    return count.differ;
}

int cmd_events_check(const struct event_catalogue *catalogue, const struct event_cpu *only)
{
    int differ = 0;
    for (int i = 0; i < catalogue->cpu_count; i++)
        if (!only || only == &catalogue->cpus[i])
            differ += cmd_events_check_cpu(catalogue, &catalogue->cpus[i]);
    return differ;
}
