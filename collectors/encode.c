// SPDX-License-Identifier: Apache-2.0
#include "collectors/encode.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sysfile.h"

// Enable, interrupt, OS and USR bits of an event-select register, which libpfm4 adds when asked for the register's
// value (libpfm4, amd64_events: PFM_OS_NONE) and which perf_event keeps for itself.
static const uint64_t encode_register_bits = 0x530000;

int encode_event(struct perf_event_attr *attr, const char *root, const struct catalogue_cpu *cpu,
                 const struct catalogue_event *event)
{
    int64_t type = PERF_TYPE_RAW;
    if (cpu->pmu) {
        int status = sysfile_number(root, &type, "/sys/bus/event_source/devices/%s/type", cpu->pmu);
        if (status < 0)
            return status;
    }
    attr->type = (uint32_t)type;
    attr->size = sizeof *attr;
    attr->config = event->config;
    attr->config1 = event->config1;
    return 0;
}

static bool encode_has_table(const char *table)
{
    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && strcmp(info.name, table) == 0)
            return true;
    }
    return false;
}

// For a PMU that perf_event numbers at boot (AMD's northbridge) libpfm4 gives the register's value at most.
static int encode_register(struct perf_event_attr *attr, const char *name)
{
    pfm_pmu_encode_arg_t request = {.size = sizeof request}; // no codes: libpfm4 allocates them
    if (pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &request) != PFM_SUCCESS)
        return -EINVAL;
    attr->config = request.count > 0 ? request.codes[0] & ~encode_register_bits : 0;
    free(request.codes);
    return 0;
}

int encode_name(struct perf_event_attr *attr, const struct catalogue_cpu *cpu, const struct catalogue_event *event)
{
    char name[512];
    if (!event->name || !cpu->libpfm || strncmp(event->name, "json:", 5) == 0)
        return -ENODATA;
    if ((size_t)snprintf(name, sizeof name, "%s::%s", cpu->libpfm, event->name) >= sizeof name)
        return -EINVAL;
    // Encodes for CPUs other than this one; read once, when libpfm4 starts.
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_initialize() != PFM_SUCCESS || !encode_has_table(cpu->libpfm))
        return -ENOENT;
    attr->size = sizeof *attr;
    pfm_perf_encode_arg_t request = {.attr = attr, .size = sizeof request};
    int status = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &request);
    if (status == PFM_ERR_NOTSUPP)
        return encode_register(attr, name);
    return status == PFM_SUCCESS ? 0 : -EINVAL;
}
