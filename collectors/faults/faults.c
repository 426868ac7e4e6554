// SPDX-License-Identifier: Apache-2.0
#include "collectors/faults/faults.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "core/util/grow.h"

// --- opening

// PERF_SAMPLE_PERIOD: of an event without attr.freq the kernel then makes a sample of every fault, whatever its
// period; with attr.freq the period is what the sample stands for (perf_swevent_event in kernel/events/core.c).
static const uint64_t faults_sample_type =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
    PERF_SAMPLE_STACK_USER;

static struct perf_event_attr faults_attributes(const struct faults *faults, struct faults_task task, size_t ring_bytes)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_PAGE_FAULTS,
        .sample_type = faults_sample_type | (faults->tells_mapped ? PERF_SAMPLE_DATA_PAGE_SIZE : 0),
        .read_format = faults->tells_lost ? PERF_RECORD_READ_LOST : 0,
        .sample_regs_user = PERF_EVENT_REGS_USER,
        .disabled = 1,
        .inherit = task.inherit,
        .enable_on_exec = task.on_exec,
        .exclude_kernel = faults->exclude_kernel,
        .exclude_callchain_kernel = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = (uint32_t)(ring_bytes / 4),
    };
}

// Samples per second; the kernel refuses more than kernel.perf_event_max_sample_rate, which it lowers by itself.
static uint64_t faults_rate(const struct faults *faults)
{
    const int64_t wanted = faults->of_machine ? FAULTS_OF_MACHINE_PER_S : FAULTS_PER_MS * INT64_C(1000);
    int64_t most = 0;
    bool is_limited = sysfile_number("", &most, "/proc/sys/kernel/perf_event_max_sample_rate") == 0 && most > 0;
    return (uint64_t)(is_limited && most < wanted ? most : wanted);
}

// Opens the sampling event first: it is always on, so it also reports mappings, names and tasks.
// Without attr.inherit_stat: the kernel would write into rings of other CPUs, which can end them (docs/dev/hostile.md).
static int faults_open_some(const struct faults *faults, struct faults_task task, size_t ring_bytes)
{
    struct perf_event_attr attr = faults_attributes(faults, task, ring_bytes);
    attr.freq = 1;
    attr.sample_freq = faults_rate(faults);
    attr.sample_stack_user = faults->of_machine ? FAULTS_STACK_EVERY : FAULTS_STACK_SOME;
    attr.mmap = attr.mmap2 = attr.mmap_data = attr.comm = attr.comm_exec = attr.task = 1;
    return perf_event_open(&attr, task.tid, task.cpu, -1);
}

// Opens the sampling event and maps its ring.
static int faults_open_ring(const struct faults *faults, struct faults_source *source, struct faults_task task,
                            size_t ring_pages)
{
    const struct perf_layout layout = {.sample_type = faults_attributes(faults, task, 0).sample_type,
                                       .regs_user = PERF_EVENT_REGS_USER};
    int fd = faults_open_some(faults, task, ring_pages * faults->page_bytes);
    if (fd < 0)
        return fd;
    int status = perf_event_map(&source->stream.ring, fd, ring_pages);
    if (status == -EPERM)
        status = -ENOBUFS; // the locked-memory allowance is used up: perf_mmap in kernel/events/core.c
    if (status == 0)
        status = perf_event_id(fd, &source->id_some);
    if (status < 0) {
        close(fd);
        return status;
    }
    source->fd_some = fd;
    source->stream.layout = layout;
    return 0;
}

// Returns its descriptor.
static int faults_open_every(const struct faults_source *source, struct faults_task task)
{
    struct perf_event_attr attr = faults_attributes(source->faults, task, source->stream.ring.bytes);
    attr.sample_period = 1;
    attr.sample_stack_user = FAULTS_STACK_EVERY;
    attr.enable_on_exec = task.on_exec && !source->is_off;
    int fd = perf_event_open(&attr, task.tid, task.cpu, -1);
    int status = fd < 0 ? fd : perf_event_redirect(fd, source->fd_some);
    if (status == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return status;
}

static void faults_begin(const struct faults_source *source, struct faults_task task, int fd_some, int fd_every)
{
    if (task.on_exec)
        return;
    perf_event_enable(fd_some);
    if (!source->is_off)
        perf_event_enable(fd_every);
}

static int faults_open_both(struct faults *faults, struct faults_source *source, struct faults_task task,
                            size_t ring_pages)
{
    *source = (struct faults_source){.faults = faults,
                                     .fd_every = -1,
                                     .fd_some = -1,
                                     .downsample = faults_downsample_begin(faults->sources, faults->of_machine),
                                     .is_off = faults->of_machine};
    int status = faults_open_ring(faults, source, task, ring_pages);
    if (status == 0)
        status = source->fd_every = faults_open_every(source, task);
    if (status < 0) {
        faults_close(source);
        return status;
    }
    faults_begin(source, task, source->fd_some, source->fd_every);
    return 0;
}

int faults_open(struct faults *faults, struct faults_source *source, struct faults_task task, size_t ring_pages)
{
    int status = faults_open_both(faults, source, task, ring_pages);
    if ((status == -EACCES || status == -EPERM) && !faults->exclude_kernel) {
        faults->exclude_kernel = true;
        status = faults_open_both(faults, source, task, ring_pages);
    }
    if (status == -EINVAL && faults->tells_lost) {
        faults->tells_lost = false;
        status = faults_open_both(faults, source, task, ring_pages);
    }
    if (status == -EINVAL && faults->tells_mapped) { // PERF_SAMPLE_DATA_PAGE_SIZE came with Linux 5.11
        faults->tells_mapped = false;
        status = faults_open_both(faults, source, task, ring_pages);
    }
    return status;
}

// Those of the task that the source was opened for.
static struct faults_events faults_own_events(const struct faults_source *source)
{
    return (struct faults_events){.fd_every = source->fd_every, .fd_some = source->fd_some};
}

static void faults_close_events(struct faults_events events)
{
    if (events.fd_every >= 0)
        close(events.fd_every);
    if (events.fd_some >= 0)
        close(events.fd_some);
}

static int faults_open_more(struct faults_source *source, struct faults_task task, struct faults_events *events)
{
    uint64_t id;
    *events = (struct faults_events){.fd_every = -1, .fd_some = -1};
    int status = events->fd_some = faults_open_some(source->faults, task, source->stream.ring.bytes);
    if (status >= 0)
        status = perf_event_redirect(events->fd_some, source->fd_some);
    if (status >= 0)
        status = perf_event_id(events->fd_some, &id);
    if (status >= 0)
        status = table_put(&source->more_some, id, 1);
    if (status >= 0)
        status = events->fd_every = faults_open_every(source, task);
    return status < 0 ? status : 0;
}

int faults_add(struct faults_source *source, struct faults_task task)
{
    struct faults_events events;
    struct faults_events *more = grow_array(source->more, &source->more_size, source->more_count + 1, sizeof *more);
    if (!more)
        return -ENOMEM;
    source->more = more;
    int status = faults_open_more(source, task, &events);
    if (status < 0) {
        faults_close_events(events);
        return status;
    }
    source->more[source->more_count++] = events;
    faults_begin(source, task, events.fd_some, events.fd_every);
    return 0;
}

void faults_close(struct faults_source *source)
{
    for (size_t i = 0; i < source->more_count; i++)
        faults_close_events(source->more[i]);
    free(source->more);
    table_free(&source->more_some);
    table_free(&source->periods);
    perf_ring_unmap(&source->stream.ring);
    faults_close_events(faults_own_events(source));
    source->fd_every = source->fd_some = -1;
    source->more = NULL;
    source->more_count = source->more_size = 0;
}

// What read(2) gives for one event.
struct faults_read {
    uint64_t counted, lost;
};

static int faults_read(const struct faults *faults, int fd, struct faults_read *value)
{
    *value = (struct faults_read){0};
    const ssize_t bytes = faults->tells_lost ? sizeof *value : sizeof value->counted;
    return read(fd, value, (size_t)bytes) == bytes ? 0 : -EIO;
}

int faults_count(struct faults_source *source)
{
    uint64_t count = 0;
    struct faults_read value;
    for (size_t i = 0; i < source->more_count; i++)
        if (faults_read(source->faults, source->more[i].fd_some, &value) == 0)
            count += value.counted;
    int status = faults_read(source->faults, source->fd_some, &value);
    if (status == 0)
        source->counted = count + value.counted;
    return status;
}

static uint64_t faults_events_lost(const struct faults *faults, struct faults_events events)
{
    struct faults_read some, every;
    return (faults_read(faults, events.fd_some, &some) == 0 ? some.lost : 0) +
           (faults_read(faults, events.fd_every, &every) == 0 ? every.lost : 0);
}

// What inherited events lose is counted in the first (__perf_output_begin in kernel/events/ring_buffer.c).
uint64_t faults_lost_untold(const struct faults_source *source)
{
    uint64_t lost = faults_events_lost(source->faults, faults_own_events(source));
    for (size_t i = 0; i < source->more_count; i++)
        lost += faults_events_lost(source->faults, source->more[i]);
    return lost > source->lost ? lost - source->lost : 0;
}

// --- every fault, or a sample

static void faults_switch(struct faults_source *source)
{
    if (source->is_off == source->downsample.is_on)
        return;
    source->is_off = source->downsample.is_on;
    int (*change)(int fd) = source->is_off ? perf_event_disable : perf_event_enable;
    change(source->fd_every);
    for (size_t i = 0; i < source->more_count; i++)
        change(source->more[i].fd_every);
}

void faults_lost(struct faults_source *source, uint64_t records)
{
    source->lost += records;
    source->downsample.is_on = true;
    faults_switch(source);
}

void faults_adapt(struct faults_source *source, uint64_t now)
{
    struct faults_counted counted = {.before = source->counted, .now = UINT64_MAX};
    if (!faults_downsample_is_due(&source->downsample, now))
        return;
    if (source->is_off && !source->faults->of_machine && faults_count(source) == 0)
        counted.now = source->counted;
    faults_downsample_adapt(&source->downsample, counted, now);
    faults_switch(source);
}

// --- taking

// The period of a sample of fd_some is how many faults there will be until the next one of the same event
// (perf_swevent_set_period in kernel/events/core.c). A sample stands for half of those before it and half of those
// after it: so the weights are right in expectation, wherever an event ends. Each thread has an event of its own on
// each CPU, and the kernel hands them around between threads that take turns (context_equiv there): so the event is
// the key.
static uint64_t faults_weight(struct faults_source *source, const struct perf_sample *sample)
{
    uint64_t last = sample->period << 1; // and whether half a fault is left over
    if (sample->id != source->id_some && !table_get(&source->more_some, sample->id, &(uint64_t){0}))
        return 1;
    table_get(&source->periods, sample->stream, &last);
    uint64_t halves = (last >> 1) + sample->period + (last & 1);
    table_put(&source->periods, sample->stream, sample->period << 1 | (halves & 1));
    return halves / 2 > 0 ? halves / 2 : 1;
}

// True if both events reported one fault. Newer kernels then give both samples the time and even the id of the first
// (they fill a sample's fields once for all events of a fault); older ones give each its own. Each has its own period.
bool faults_is_double(struct faults_source *source, const struct perf_sample *sample)
{
    const struct perf_sample last = source->last;
    source->last = *sample;
    bool is_same_fault = last.tid == sample->tid && last.address == sample->address && last.ip == sample->ip &&
                         last.page_bytes == sample->page_bytes;
    if (!is_same_fault || (last.time != sample->time && last.id == sample->id))
        return false;
    struct faults *faults = source->faults;
    size_t i = source->last_pending;
    if (i < faults->pending_count && faults->pending[i].address == sample->address &&
        faults->pending[i].time == last.time) {
        source->downsample.represented -= faults->pending[i].weight - 1;
        faults->pending[i].weight = faults->pending[i].own_weight = 1; // every fault was recorded then
    }
    return true;
}

void faults_take(struct faults_source *source, const struct perf_sample *sample, struct thread *thread, int64_t stack)
{
    struct faults *faults = source->faults;
    const uint64_t own_weight = faults_weight(source, sample);
    const uint64_t weight = faults_downsample_weight(&source->downsample, own_weight);
    faults_switch(source);
    if (faults->pending_count == FAULTS_PENDING) {
        faults->hurry = true; // no room: no fault may wait
        faults_classify(faults, NULL);
        faults->hurry = false;
    }
    source->last_pending = faults->pending_count;
    faults->pending[faults->pending_count++] = (struct faults_pending){
        .time = sample->time,
        .address = sample->address,
        .weight = weight,
        .own_weight = own_weight < weight ? own_weight : weight,
        .was_mapped_bytes = sample->page_bytes,
        .thread = thread->id,
        .stack = stack,
        .found = objects_live(faults->objects, thread->process, sample->address, sample->time),
        .process = thread->process,
        .cpu = (int32_t)sample->cpu,
    };
    if (weight > 1)
        thread->process->forgets = true; // faults between two of these go unseen
}
