// SPDX-License-Identifier: Apache-2.0
// Sampling of single loads with their address: PEBS load latency, AMD IBS, POWER's marked events, in the order in which
// the recorder tries them. That an event opens proves nothing: loads are made, and a sample with an address is looked
// for.
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/loads/loads.h"
#include "collectors/loads/loads_ibs.h"
#include "collectors/loads/loads_plan.h"
#include "collectors/perf/perf_event.h"
#include "collectors/perf/perf_record.h"
#include "profiler/doctor/doctor.h"

enum {
    DOCTOR_LOADS_BYTES = 32 << 20, // more than most caches of a core
    DOCTOR_LOADS = 1 << 20,
    DOCTOR_LOADS_STEP = 4096 + 64, // no two of a page in a row
    DOCTOR_LOADS_PERIOD = 112,     // of loads that took long
    DOCTOR_OPERATIONS = 1 << 14,   // of IBS, which samples all operations
    DOCTOR_RING_PAGES = 8,
};

static const char *doctor_sampling_name(const struct doctor *d, const struct loads_plan *plan)
{
    return strcmp(d->uarch->sampling.method, "ibs-op") == 0 ? "AMD IBS" : plan->method;
}

static void doctor_sampling_read(const volatile char *memory)
{
    size_t at = 0;
    for (int i = 0; i < DOCTOR_LOADS; i++)
        at = (at + DOCTOR_LOADS_STEP + (size_t)memory[at]) & (DOCTOR_LOADS_BYTES - 1);
}

static bool doctor_sampling_is_usable(const struct perf_event_header *header, const struct perf_layout *layout)
{
    struct perf_sample sample;
    if (header->type != PERF_RECORD_SAMPLE || perf_record_sample(header, layout, &sample) < 0)
        return false;
    loads_ibs_decode(&sample);
    return sample.address != 0 && sample.pid == (uint32_t)getpid();
}

// 1: a sample with an address came; 0: none did; -errno: no ring, no memory.
static int doctor_sampling_sees_load(int leader, int fd, const struct perf_layout *layout)
{
    struct perf_ring ring = {0};
    char *memory = mmap(NULL, DOCTOR_LOADS_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return -errno;
    int status = perf_ring_map(&ring, fd, DOCTOR_RING_PAGES);
    if (status < 0)
        goto done;
    perf_event_enable(leader);
    doctor_sampling_read(memory);
    perf_event_disable(leader);
    perf_ring_refresh(&ring);
    status = 0;
    for (const struct perf_event_header *header; (header = perf_ring_front(&ring)); perf_ring_skip(&ring))
        status |= doctor_sampling_is_usable(header, layout);
done:
    perf_ring_unmap(&ring);
    munmap(memory, DOCTOR_LOADS_BYTES);
    return status;
}

static struct perf_event_attr doctor_sampling_attributes(const struct loads_plan *plan, int event)
{
    struct perf_event_attr attr = plan->events[event].attr;
    attr.exclude_kernel = !plan->with_kernel;
    attr.disabled = event == 0;
    if (plan->events[event].sampled) {
        attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | LOADS_SAMPLE_TYPE |
                           (plan->with_registers ? PERF_SAMPLE_RAW : 0);
        attr.sample_period = plan->period_step > 1 ? DOCTOR_OPERATIONS : DOCTOR_LOADS_PERIOD;
    }
    return attr;
}

// Opens what the plan samples with. -errno: the finding says why; else whether loads can be sampled.
static int doctor_sampling_try(const struct doctor *d, struct doctor_finding *f, const struct loads_plan *plan)
{
    const char *name = doctor_sampling_name(d, plan);
    int fds[LOADS_PLAN_EVENTS], opened = 0, status = 0;
    struct perf_event_attr attr;
    do { // a plan has at least one event
        struct doctor_target target = doctor_this_thread;
        if (plan->of_cpus)
            target = (struct doctor_target){.tid = -1, .cpu = sched_getcpu(), .group = -1};
        target.group = opened > 0 ? fds[0] : -1;
        attr = doctor_sampling_attributes(plan, opened);
        fds[opened] = doctor_open(d, f, name, &attr, target);
        if (fds[opened] < 0) {
            status = fds[opened];
            goto done;
        }
    } while (++opened < plan->count);
    status = doctor_sampling_sees_load(fds[0], fds[opened - 1], &(struct perf_layout){.sample_type = attr.sample_type});
    if (status < 0)
        doctor_refused(f, "the ring of sampled loads", status, perf_explain_map(status, &d->perf));
    else if (status == 0)
        doctor_find(f, DOCTOR_NO, "%s opens, but no sample with an address came", name);
    else
        doctor_find(f, DOCTOR_YES, "%s%s", name, plan->of_cpus ? ", of whole CPUs" : "");
done:
    while (opened-- > 0)
        close(fds[opened]);
    return status;
}

void doctor_sampling_loads(const struct doctor *d, struct doctor_finding *f)
{
    struct loads_plan plan;
    const bool may = d->perf.pmu[0] && d->uarch;
    bool tried = false;
    for (int attempt = 0; may && attempt < LOADS_PLAN_ATTEMPTS; attempt++) {
        struct doctor_finding found = {0};
        if (loads_plan(&plan, d->catalogue, d->uarch, d->root, attempt) < 0)
            continue;
        const int status = doctor_sampling_try(d, &found, &plan);
        if (!tried || found.state == DOCTOR_YES)
            *f = found; // of several refusals the first: it is that of the best way
        tried = true;
        if (found.state == DOCTOR_YES || status == -EAGAIN)
            return;
    }
    if (tried)
        return;
    doctor_no_pmu(f);
    if (d->uarch && strcmp(d->uarch->sampling.method, "spe") == 0)
        doctor_cause(f, "this version does not read the raw packets of Arm SPE");
    else if (d->perf.pmu[0])
        doctor_cause(f, "%s", d->uarch ? "the kernel shows no IBS, the CPU has no load latency event"
                                       : "no IBS, and this CPU is not in the event catalogue");
}
