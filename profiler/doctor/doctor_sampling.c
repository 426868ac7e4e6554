// SPDX-License-Identifier: Apache-2.0
// Sampling of single loads with their address: PEBS load latency, AMD IBS, POWER's marked events.
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "collectors/events/event_encode.h"
#include "profiler/doctor/doctor.h"

struct doctor_sampling {
    const char *name;
    struct perf_event_attr attr;
    uint64_t leader;            // raw event that must lead the group; 0: none
    bool of_cpus;               // what cannot be opened for a task may be for a CPU
};

// A PMU of its own: its type, or -errno.
static int doctor_sampling_pmu(const struct doctor *d, struct doctor_sampling *s, const char *pmu)
{
    int64_t type;
    int status = sysfile_number(d->root, &type, "/sys/bus/event_source/devices/%s/type", pmu);
    if (status < 0)
        return status;
    s->attr.type = (uint32_t)type;
    return 0;
}

// IBS cannot leave out the kernel by itself; since Linux 6.14 the kernel can drop those samples (format swfilt), which
// ordinary users need.
static void doctor_sampling_filter(const struct doctor *d, struct doctor_sampling *s)
{
    char text[32];
    bool filters =
        sysfile_text(d->root, text, sizeof text, "/sys/bus/event_source/devices/ibs_op/format/swfilt") >= 0;
    s->attr.exclude_kernel = s->attr.exclude_hv = filters && !d->perf.perfmon;
    s->attr.config2 = s->attr.exclude_kernel;
}

// -ENOENT: neither the kernel nor the catalogue knows a way.
static int doctor_sampling_find(const struct doctor *d, struct doctor_sampling *s)
{
    *s = (struct doctor_sampling){
        .name = "AMD IBS", .attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, .sample_period = 0x10000}};
    if (doctor_sampling_pmu(d, s, "ibs_op") == 0) {
        s->of_cpus = true;
        doctor_sampling_filter(d, s);
        return 0;
    }
    s->attr.exclude_kernel = s->attr.exclude_hv = 1;
    uint64_t config, leader;
    if (!d->perf.pmu[0] || !d->uarch || event_encode_loads(&d->uarch->sampling, d->root, &config, &leader) < 0)
        return -ENOENT;
    s->name = d->uarch->sampling.method;
    s->attr.type = PERF_TYPE_RAW;
    s->attr.config = config;
    s->leader = leader;
    if (strcmp(s->name, "load-latency") == 0) {
        s->attr.config1 = 3; // the smallest threshold, in cycles
        s->attr.precise_ip = 1;
    }
    return 0;
}

void doctor_sampling_loads(const struct doctor *d, struct doctor_finding *f)
{
    struct doctor_sampling s;
    if (doctor_sampling_find(d, &s) < 0) {
        doctor_no_pmu(f);
        if (d->uarch && strcmp(d->uarch->sampling.method, "spe") == 0)
            doctor_cause(f, "this version does not read the raw packets of Arm SPE");
        else if (d->perf.pmu[0])
            doctor_cause(f, "%s", d->uarch ? "the kernel shows no IBS, the CPU has no load latency event"
                                           : "no IBS, and this CPU is not in the event catalogue");
        return;
    }
    struct doctor_target target = doctor_this_thread;
    struct perf_event_attr leader = {
        .type = PERF_TYPE_RAW, .config = s.leader, .exclude_kernel = 1, .exclude_hv = 1};
    if (s.leader)
        target.group = doctor_open(d, f, s.name, &leader, doctor_this_thread);
    if (s.leader && target.group < 0)
        return;
    const struct doctor_finding untried = *f;
    int fd = doctor_open(d, f, s.name, &s.attr, target);
    bool of_cpus = fd == -EINVAL && s.of_cpus; // Linux before 6.2 knows no IBS of tasks
    if (of_cpus) {
        *f = untried;
        fd = doctor_open(d, f, s.name, &s.attr, (struct doctor_target){.tid = -1, .cpu = sched_getcpu(), .group = -1});
    }
    if (fd >= 0) {
        close(fd);
        doctor_find(f, DOCTOR_YES, "%s%s", s.name, of_cpus ? ", of whole CPUs" : "");
    }
    if (s.leader)
        close(target.group);
}
