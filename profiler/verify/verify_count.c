// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify_count.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collectors/loads/loads_source.h"

enum {
    VERIFY_COUNT_RING_PAGES = 32,
    VERIFY_COUNT_PERIOD = 1009, // loads; prime, so that it is no multiple of a period of the loop
    // Operations of IBS: a multiple of 16, but not of the loop's three instructions, one of which is a load.
    VERIFY_COUNT_OPERATIONS_PERIOD = 2000,
};

// --- counting

// The event without the sampling and inheritance that a recording adds.
static struct perf_event_attr count_attr(const struct perf_event_attr *event, bool leads)
{
    return (struct perf_event_attr){
        .type = event->type,
        .config = event->config,
        .config1 = event->config1,
        .config2 = event->config2,
        .precise_ip = event->precise_ip,
        .exclude_kernel = 1,
        .exclude_hv = event->exclude_hv,
        .disabled = leads,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
}

void verify_count_close(struct verify_count *count)
{
    while (count->count > 0)
        close(count->fds[--count->count]);
}

int verify_count_open(struct verify_count *count, const struct counters_group *group)
{
    count->count = 0;
    for (int i = 0; i < group->count; i++) {
        struct perf_event_attr attr = count_attr(&group->events[i].attr, i == 0);
        attr.precise_ip = 0;
        int fd = perf_event_open(&attr, 0, -1, i > 0 ? count->fds[0] : -1);
        if (fd < 0) {
            verify_count_close(count);
            return fd;
        }
        count->fds[count->count++] = fd;
    }
    return 0;
}

struct count_read {
    uint64_t number, enabled, running, values[EVENT_PLAN_GROUP_EVENTS]; // PERF_FORMAT_GROUP
};

static int count_read(int leader, struct count_read *out)
{
    return read(leader, out, sizeof *out) < 0 ? -errno : 0;
}

int verify_count_run(const struct verify_count *count, verify_access_run *run, const struct verify_access *access,
                     uint64_t values[EVENT_PLAN_GROUP_EVENTS])
{
    const int leader = count->fds[0];
    struct count_read before = {0}, after = {0};
    int status = count_read(leader, &before); // times stop while the group is disabled; PERF_EVENT_IOC_RESET keeps them
    if (status == 0)
        status = ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) < 0 ? -errno : perf_event_enable(leader);
    if (status < 0)
        return status;
    run(access);
    status = perf_event_disable(leader);
    if (status == 0)
        status = count_read(leader, &after);
    if (status < 0)
        return status;
    memcpy(values, after.values, sizeof after.values);
    return after.running - before.running < after.enabled - before.enabled ? -EBUSY : 0;
}

// --- sampling

struct count_sampling {
    int fds[EVENT_PLAN_GROUP_EVENTS], opened;
    uint64_t ids[EVENT_PLAN_GROUP_EVENTS];
    struct perf_ring ring;
};

static const uint64_t count_sample_type =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;

static void count_sampling_close(struct count_sampling *sampling)
{
    perf_ring_unmap(&sampling->ring);
    while (sampling->opened > 0)
        close(sampling->fds[--sampling->opened]);
}

static int count_sampling_open(struct count_sampling *sampling, const struct counters_group *group, int cpu)
{
    int ring_fd = -1;
    *sampling = (struct count_sampling){.opened = 0};
    for (int i = 0; i < group->count; i++) {
        const struct counters_event *event = &group->events[i];
        struct perf_event_attr attr = count_attr(&event->attr, i == 0);
        attr.exclude_kernel = event->attr.exclude_kernel;
        if (event->sampled) {
            attr.sample_type = count_sample_type;
            attr.sample_period = group->period_step > 1 ? VERIFY_COUNT_OPERATIONS_PERIOD : VERIFY_COUNT_PERIOD;
        }
        int fd = perf_event_open(&attr, group->of_cpus ? -1 : 0, group->of_cpus ? cpu : -1,
                                 i > 0 ? sampling->fds[0] : -1);
        if (fd < 0)
            return fd;
        sampling->fds[sampling->opened++] = fd;
        int status = perf_event_id(fd, &sampling->ids[i]);
        if (status == 0 && event->sampled)
            status = ring_fd >= 0 ? perf_event_redirect(fd, ring_fd)
                                  : perf_event_map(&sampling->ring, fd, VERIFY_COUNT_RING_PAGES);
        if (status < 0)
            return status;
        ring_fd = event->sampled && ring_fd < 0 ? fd : ring_fd;
    }
    return 0;
}

static void count_take(const struct counters_group *group, const struct count_sampling *sampling,
                       const struct perf_sample *sample, const struct verify_access *access,
                       struct verify_count_samples *samples)
{
    const uint64_t from = (uintptr_t)access->chunk;
    if (sample->tid != (uint32_t)gettid() || sample->address < from ||
        sample->address >= from + access->chunks * access->lines * VERIFY_ACCESS_BLOCK)
        return;
    enum load_source source = LOAD_UNKNOWN;
    for (int i = 0; i < group->count; i++)
        if (sampling->ids[i] == sample->id)
            source = group->events[i].load_source;
    samples->sources[source != LOAD_UNKNOWN ? source : load_source_of(sample->source)]++;
}

int verify_count_sample(const struct counters_group *group, int cpu, verify_access_run *run,
                        const struct verify_access *access, struct verify_count_samples *samples)
{
    const struct perf_layout layout = {.sample_type = count_sample_type};
    const struct perf_event_header *header;
    struct count_sampling sampling;
    int status = count_sampling_open(&sampling, group, cpu);
    if (status == 0)
        status = perf_event_enable(sampling.fds[0]);
    if (status < 0)
        goto done;
    run(access);
    perf_event_disable(sampling.fds[0]);
    perf_ring_refresh(&sampling.ring);
    for (; (header = perf_ring_front(&sampling.ring)); perf_ring_skip(&sampling.ring)) {
        struct perf_sample sample;
        if (header->type == PERF_RECORD_SAMPLE && perf_record_sample(header, &layout, &sample) == 0)
            count_take(group, &sampling, &sample, access, samples);
    }
    perf_ring_release(&sampling.ring);
done:
    count_sampling_close(&sampling);
    return status;
}
