// SPDX-License-Identifier: Apache-2.0
#include "collectors/events/event_encode.h"

#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"

// Enable, interrupt, OS and USR bits of an event-select register, which libpfm4 adds when asked for the register's
// value (libpfm4, amd64_events: PFM_OS_NONE) and which perf_event keeps for itself.
static const uint64_t event_encode_register_bits = 0x530000;

int event_encode(struct perf_event_attr *attr, const char *root, const struct event_cpu *cpu,
                 const struct event_entry *event)
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

// "event=0xcd,umask=0x1,ldlat=3": event in bits 0-7, unit mask in 8-15, as on every Intel PMU; ldlat is the caller's.
static int event_encode_named(const char *root, const char *name, uint64_t *config)
{
    char text[128];
    unsigned event = 0, umask = 0;
    int status = sysfile_text(root, text, sizeof text, "/sys/bus/event_source/devices/cpu/events/%s", name);
    if (status < 0)
        return status;
    const char *mask = strstr(text, "umask=");
    if (sscanf(text, "event=%x", &event) != 1 || (mask && sscanf(mask, "umask=%x", &umask) != 1) || event > 0xff ||
        umask > 0xff)
        return -EINVAL;
    *config = event | umask << 8;
    return 0;
}

int event_encode_loads(const struct event_sampling *sampling, const char *root, uint64_t *config, uint64_t *leader)
{
    *config = sampling->config;
    *leader = sampling->leader;
    if (*config)
        return 0;
    if (event_encode_named(root, "mem-loads", config) < 0)
        return -ENOTSUP;
    if (event_encode_named(root, "mem-loads-aux", leader) < 0)
        *leader = 0;
    return 0;
}

// Weak: there only in the program of `make static`. Else libpfm4 is loaded when a name is to be encoded, which no
// recording
// needs: its tables take the loader a millisecond.
extern pfm_err_t pfm_initialize(void) __attribute__((weak));
extern pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info) __attribute__((weak));
extern pfm_err_t pfm_get_os_event_encoding(const char *name, int levels, pfm_os_t os, void *arguments)
    __attribute__((weak));

struct event_encode_library {
    pfm_err_t (*initialize)(void);
    pfm_err_t (*pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *info);
    pfm_err_t (*encoding)(const char *name, int levels, pfm_os_t os, void *arguments);
};

static bool event_encode_find_library(struct event_encode_library *library)
{
    *library = (struct event_encode_library){pfm_initialize, pfm_get_pmu_info, pfm_get_os_event_encoding};
    if (!library->initialize) {
        // Kept open: dlopen returns the same handle again at the cost of a look-up.
        void *loaded = dlopen("libpfm.so.4", RTLD_LAZY);
        if (!loaded)
            return false;
        *(void **)&library->initialize = dlsym(loaded, "pfm_initialize");
        *(void **)&library->pmu_info = dlsym(loaded, "pfm_get_pmu_info");
        *(void **)&library->encoding = dlsym(loaded, "pfm_get_os_event_encoding");
    }
    return library->initialize && library->pmu_info && library->encoding && library->initialize() == PFM_SUCCESS;
}

static bool event_encode_has_table(const struct event_encode_library *library, const char *table)
{
    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (library->pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && strcmp(info.name, table) == 0)
            return true;
    }
    return false;
}

// For a PMU that perf_event numbers at boot (AMD's northbridge) libpfm4 gives the register's value at most.
static int event_encode_register(const struct event_encode_library *library, struct perf_event_attr *attr,
                                 const char *name)
{
    pfm_pmu_encode_arg_t request = {.size = sizeof request}; // no codes: libpfm4 allocates them
    if (library->encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &request) != PFM_SUCCESS)
        return -EINVAL;
    attr->config = request.count > 0 ? request.codes[0] & ~event_encode_register_bits : 0;
    free(request.codes);
    return 0;
}

int event_encode_name(struct perf_event_attr *attr, const struct event_cpu *cpu, const struct event_entry *event)
{
    char name[512];
    if (!event->name || !cpu->libpfm || strncmp(event->name, "json:", 5) == 0)
        return -ENODATA;
    if ((size_t)snprintf(name, sizeof name, "%s::%s", cpu->libpfm, event->name) >= sizeof name)
        return -EINVAL;
    // Encodes for CPUs other than this one; read once, when libpfm4 starts.
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    struct event_encode_library library;
    if (!event_encode_find_library(&library) || !event_encode_has_table(&library, cpu->libpfm))
        return -ENOENT;
    attr->size = sizeof *attr;
    pfm_perf_encode_arg_t request = {.attr = attr, .size = sizeof request};
    int status = library.encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &request);
    if (status == PFM_ERR_NOTSUPP)
        return event_encode_register(&library, attr, name);
    return status == PFM_SUCCESS ? 0 : -EINVAL;
}
