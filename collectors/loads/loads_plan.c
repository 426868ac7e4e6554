// SPDX-License-Identifier: Apache-2.0
#include "collectors/loads/loads_plan.h"

#include <errno.h>
#include <string.h>

#include "collectors/events/event_encode.h"
#include "core/system/sysfile.h"
#include "event_words.h"

enum { LOADS_PLAN_IBS_ATTEMPTS = 3 };

static bool loads_plan_has_format(const char *root, const char *device, const char *name, const char *wanted)
{
    char format[32];
    return sysfile_text(root, format, sizeof format, "%s/format/%s", device, name) >= 0 && strcmp(format, wanted) == 0;
}

// IBS refuses all exclude bits (PERF_PMU_CAP_NO_EXCLUDE); since Linux 6.14 it has a format "swfilt", with which the
// kernel drops what was to be left out. Until then the samples come, which takes privilege, and those of the kernel are
// dropped here. Before Linux 6.2 it samples CPUs, not tasks ("perf/amd/ibs: Make IBS a core pmu").
static int loads_plan_ibs(struct loads_plan *plan, const char *root, int attempt)
{
    static const char device[] = "/sys/bus/event_source/devices/ibs_op";
    int64_t type;
    if (sysfile_number(root, &type, "%s/type", device) < 0)
        return -ENOTSUP;
    const bool filters = loads_plan_has_format(root, device, "swfilt", "config2:0");
    // Of operations, not of cycles: then each operation is as likely to be sampled, whether it waits or not.
    const bool of_operations = loads_plan_has_format(root, device, "cnt_ctl", "config:19");
    plan->period_step = 16;
    plan->least_period = 0x90;
    plan->first_period = LOADS_FIRST_OPERATIONS;
    plan->with_kernel = attempt > 0;
    plan->of_cpus = plan->with_registers = attempt > 1;
    plan->method = plan->of_cpus ? "ibs-op, of whole CPUs" : plan->method;
    plan->events[plan->count++] = (struct loads_event){
        .attr = {.type = (uint32_t)type, .config = of_operations ? 1u << 19 : 0, .config2 = attempt == 0 && filters},
        .name = "ibs_op",
        .sampled = true};
    return 0;
}

static int loads_plan_latency(struct loads_plan *plan, const struct event_cpu *cpu, const char *root, unsigned precise)
{
    uint64_t config, leader;
    int status = event_encode_loads(&cpu->sampling, root, &config, &leader);
    if (status < 0)
        return status;
    if (leader)
        plan->events[plan->count++] =
            (struct loads_event){.attr = {.type = PERF_TYPE_RAW, .config = leader}, .name = "leader"};
    plan->events[plan->count++] = (struct loads_event){
        .attr = {.type = PERF_TYPE_RAW,
                 .config = config,
                 .config1 = LOADS_THRESHOLD_CYCLES, // the format "ldlat" of Intel's PMU
                 .precise_ip = precise},
        .name = cpu->sampling.method,
        .sampled = true,
    };
    return 0;
}

// Precise, they tell the address; the event itself tells the source.
static int loads_plan_retired(struct loads_plan *plan, const struct event_catalogue *catalogue,
                              const struct event_cpu *cpu, const char *root, unsigned precise)
{
    static const struct {
        const char *placement;
        enum load_source source;
    } wanted[LOADS_PLAN_EVENTS] = {{EVENT_LOCAL_DRAM, LOAD_LOCAL_DRAM}, {EVENT_REMOTE_DRAM, LOAD_REMOTE_DRAM}};
    plan->method = "retired loads";
    for (int i = 0; i < LOADS_PLAN_EVENTS; i++) {
        const struct event_entry *event =
            event_catalogue_entry(catalogue, cpu, EVENT_RETIRED_LOAD, wanted[i].placement, NULL);
        struct loads_event *planned = &plan->events[plan->count++];
        *planned = (struct loads_event){.source = wanted[i].source, .sampled = true};
        if (!event || event_encode(&planned->attr, root, cpu, event) < 0)
            return -ENOTSUP;
        planned->attr.precise_ip = precise;
        planned->name = event->name ? event->name : event->placement;
    }
    return 0;
}

int loads_plan(struct loads_plan *plan, const struct event_catalogue *catalogue, const struct event_cpu *cpu,
               const char *root, int attempt)
{
    const char *method = cpu->sampling.method ? cpu->sampling.method : "";
    *plan = (struct loads_plan){.method = method, .first_period = LOADS_FIRST_PERIOD, .period_step = 1};
    // Guests may have PEBS that names the instruction behind the sampled one only.
    const unsigned precise = attempt % 2 == 0 ? 2 : 1;
    if (strcmp(method, "ibs-op") == 0)
        return attempt < LOADS_PLAN_IBS_ATTEMPTS ? loads_plan_ibs(plan, root, attempt) : -ENOTSUP;
    if (strcmp(method, "load-latency") == 0)
        return attempt < 2 ? loads_plan_latency(plan, cpu, root, precise)
                           : loads_plan_retired(plan, catalogue, cpu, root, precise);
    if (attempt > 0 || strcmp(method, "marked") != 0)
        return -ENOTSUP;
    plan->events[plan->count++] = (struct loads_event){
        .attr = {.type = PERF_TYPE_RAW, .config = cpu->sampling.config}, .name = method, .sampled = true};
    return 0;
}
