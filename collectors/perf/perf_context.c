// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/perf_context.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "core/system/sysfile.h"

// Names of PMUs of the CPU itself: x86 and POWER "cpu", hybrid x86 "cpu_core" and "cpu_atom", Arm "armv8_pmuv3_0",
// "armv8_cortex_a72" and the like, s390 "cpum_cf". Of several the first by name.
static void perf_context_take_pmu(void *to, const char *name)
{
    char *pmu = to;
    bool is_core = strcmp(name, "cpu") == 0 || strcmp(name, "cpu_core") == 0 || strcmp(name, "cpum_cf") == 0 ||
                   strncmp(name, "armv", 4) == 0;
    if (is_core && !*pmu)
        snprintf(pmu, PERF_CONTEXT_PMU_BYTES, "%s", name);
}

void perf_context_pmu(char pmu[PERF_CONTEXT_PMU_BYTES], const char *root)
{
    *pmu = '\0';
    sysfile_names(root, perf_context_take_pmu, pmu, "/sys/bus/event_source/devices");
}

void perf_context_read(struct perf_context *context, const char *root)
{
    *context = (struct perf_context){.paranoid = PERF_CONTEXT_UNKNOWN};
    host_read(&context->host, root);
    int64_t paranoid;
    if (sysfile_number(root, &paranoid, "/proc/sys/kernel/perf_event_paranoid") == 0 && paranoid > INT_MIN &&
        paranoid < INT_MAX)
        context->paranoid = (int)paranoid;
    context->admin = host_is_capable(&context->host, CAP_SYS_ADMIN);
    context->perfmon = context->admin || host_is_capable(&context->host, CAP_PERFMON);
    perf_context_pmu(context->pmu, root);
}
