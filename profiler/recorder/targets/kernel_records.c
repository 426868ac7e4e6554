// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/kernel_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "profiler/recorder/targets/code_seen.h"

enum {
    KERNEL_RECORDS_BYTES = 32 << 20,  // rings of all CPUs together, of all ranks of the host ...
    KERNEL_RECORDS_MOST_PAGES = 1024, // ... and at most this for one
    KERNEL_RECORDS_LEAST_PAGES = 16,
    KERNEL_RECORDS_EVENT = 1,         // its id in the recording; those of the counters follow
};

// --- records

static void kernel_records_sample(struct faults_source *source, struct kernel_records *records,
                           const struct perf_event_header *header)
{
    struct perf_sample sample;
    if (perf_record_sample(header, &source->stream.layout, &sample) < 0) {
        records->losses->malformed++;
        return;
    }
    struct thread *thread = tasks_thread(records->tasks, (pid_t)sample.tid);
    if (!thread) {
        records->losses->unknown_threads += !records->faults.of_machine;
        return;
    }
    if (faults_is_double(source, &sample))
        return;
    faults_take(source, &sample, thread, stack_walk_sample(records->targets->walk, thread->process, &sample));
}

static void kernel_records_mmap(struct kernel_records *records, const struct perf_event_header *header, uint64_t time)
{
    struct perf_mmap mmap;
    if (perf_record_mmap2(header, &mmap) < 0) {
        records->losses->malformed++;
        return;
    }
    struct process *process = tasks_process(records->tasks, (pid_t)mmap.pid);
    if (!process)
        return;
    address_space_add_mmap(&process->space, &records->tasks->paths, &mmap);
    const struct mapping *mapping = address_space_find(&process->space, mmap.address);
    if (!mapping || !mapping->executable || *mapping->path != '/')
        return;
    programs_mapped(&records->targets->programs, process, mapping);
    if (!process->exe) // the process has ended; the kernel maps the program first, then its loader
        tasks_set_exe(records->tasks, process, mapping->path);
    code_seen(records->targets, process, mapping->path, time);
}

// A thread that execs ends all others, and has the main thread's number from then on, whose end was told before.
static struct thread *kernel_records_becomes_main(struct kernel_records *records, const struct perf_comm *comm,
                                                  uint64_t time)
{
    struct process *process = comm->pid == comm->tid ? tasks_process(records->tasks, (pid_t)comm->pid) : NULL;
    struct thread *thread =
        process ? tasks_add_thread(records->tasks, process, (pid_t)comm->tid, time, true, NULL) : NULL;
    uint64_t tid, value;
    for (size_t at = 0; thread && process->threads > 1 && table_next(&records->tasks->threads, &at, &tid, &value);) {
        struct thread *other = (struct thread *)(uintptr_t)value;
        if (other == thread || other->process != process)
            continue;
        targets_end_thread(records->targets, other, time);
        table_removed(&at);
    }
    return thread;
}

static void kernel_records_comm(struct kernel_records *records, const struct perf_event_header *header, uint64_t time)
{
    struct perf_comm comm;
    if (perf_record_comm(header, &comm) < 0) {
        records->losses->malformed++;
        return;
    }
    struct thread *thread = tasks_thread(records->tasks, (pid_t)comm.tid);
    if (!thread && comm.exec)
        thread = kernel_records_becomes_main(records, &comm, time);
    if (!thread)
        return;
    if (comm.exec)
        targets_exec(records->targets, thread);
    tasks_set_name(records->tasks, thread, comm.name);
}

static void kernel_records_exit(struct kernel_records *records, const struct perf_task *task, uint64_t time)
{
    struct thread *thread = tasks_thread(records->tasks, (pid_t)task->tid);
    if (thread)
        targets_end_thread(records->targets, thread, time);
}

static void kernel_records_task(struct kernel_records *records, const struct perf_event_header *header, uint64_t time)
{
    struct perf_task task;
    if (perf_record_task(header, &task) < 0)
        records->losses->malformed++;
    else if (header->type == PERF_RECORD_FORK)
        targets_fork(records->targets, &task, time);
    else
        kernel_records_exit(records, &task, time);
}

void kernel_records_handle(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    struct faults_source *source = (struct faults_source *)stream; // the stream is its first member
    struct kernel_records *records = stream->owner;
    const uint64_t lost = records->losses->records;
    if (losses_handle(records->losses, header)) {
        if (records->losses->records > lost)
            faults_lost(source, records->losses->records - lost);
        records->tasks->lost = records->losses->records;
        return;
    }
    switch (header->type) {
    case PERF_RECORD_SAMPLE:
        kernel_records_sample(source, records, header);
        break;
    case PERF_RECORD_MMAP2:
        kernel_records_mmap(records, header, time);
        break;
    case PERF_RECORD_COMM:
        kernel_records_comm(records, header, time);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        kernel_records_task(records, header, time);
        break;
    default:
        break;
    }
}

// --- rings

void kernel_records_close(struct kernel_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        perf_streams_remove(records->streams, &records->sources[i].stream);
        faults_close(&records->sources[i]);
    }
    free(records->sources);
    records->sources = NULL;
    records->count = 0;
}

size_t kernel_records_rings(size_t cpus, size_t allowed, int ranks)
{
    const size_t of_ranks = ranks > 1 ? allowed * (size_t)ranks : 0;
    return of_ranks > cpus ? of_ranks : cpus;
}

size_t kernel_records_ring_pages(uint64_t page_bytes, size_t rings)
{
    size_t pages = KERNEL_RECORDS_MOST_PAGES;
    while (pages > KERNEL_RECORDS_LEAST_PAGES && pages * page_bytes * rings > KERNEL_RECORDS_BYTES)
        pages /= 2;
    return pages;
}

// A rank hardly ever leaves the CPUs that it is bound to: there its rings need not be larger than the least.
static size_t kernel_records_pages_of(const struct kernel_records *records, const struct topology_cpu *cpu,
                                      size_t pages)
{
    bool is_least = records->ranks > 1 && !cpu->allowed && pages > KERNEL_RECORDS_LEAST_PAGES;
    return is_least ? KERNEL_RECORDS_LEAST_PAGES : pages;
}

static int kernel_records_open_sources(struct kernel_records *records, struct faults_task task, size_t ring_pages)
{
    records->sources = calloc(records->topology->cpu_count, sizeof *records->sources);
    if (!records->sources)
        return -ENOMEM;
    for (size_t i = 0; i < records->topology->cpu_count; i++) {
        const struct topology_cpu *cpu = &records->topology->cpus[i];
        if (!cpu->online)
            continue;
        struct faults_source *source = &records->sources[records->count];
        task.cpu = cpu->id;
        int status = faults_open(&records->faults, source, task, kernel_records_pages_of(records, cpu, ring_pages));
        if (status < 0)
            return status;
        records->count++;
        source->cpu = cpu->id;
        source->stream.handle = kernel_records_handle;
        source->stream.owner = records;
        status = perf_streams_add(records->streams, &source->stream);
        if (status < 0)
            return status;
    }
    return 0;
}

// Opens rings of equal size on all CPUs that the target may use. Without privilege, the rings of all CPUs share one
// limit of locked memory, and large first rings would leave too little for the last.
static int kernel_records_open_equal(struct kernel_records *records, struct faults_task task)
{
    size_t pages = kernel_records_ring_pages(records->faults.page_bytes, (size_t)records->faults.sources);
    int status = kernel_records_open_sources(records, task, pages);
    while (status == -ENOBUFS && (pages /= 2) >= FAULTS_RING_LEAST_PAGES) {
        kernel_records_close(records);
        status = kernel_records_open_sources(records, task, pages);
    }
    return status;
}

static void kernel_records_begin(struct kernel_records *records, struct faults_task task, bool without_faults)
{
    char huge[64] = "";
    int64_t balancing = 0;
    sysfile_text("", huge, sizeof huge, "/sys/kernel/mm/transparent_hugepage/enabled");
    sysfile_number("", &balancing, "/proc/sys/kernel/numa_balancing");
    records->faults.event = KERNEL_RECORDS_EVENT;
    records->faults.tasks = records->tasks;
    records->faults.samples = records->samples;
    records->faults.objects = &records->targets->allocations->objects;
    records->faults.topology = records->topology;
    records->faults.streams = records->streams;
    records->faults.tells_mapped = records->faults.tells_lost = true;
    records->faults.balancing = balancing > 0;
    records->faults.huge_pages = *huge && !strstr(huge, "[never]");
    records->faults.sources = (int)kernel_records_rings(records->topology->cpu_count,
                                                        (size_t)cpulist_count(&records->topology->allowed_cpus),
                                                        records->ranks);
    records->faults.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    records->error = without_faults ? -ECANCELED : records->faults.batch ? 0 : faults_prepare(&records->faults);
    if (records->error == 0)
        records->error = kernel_records_open_equal(records, task);
    if (records->error < 0)
        kernel_records_close(records);
    records->tasks->has_kernel_records = records->count > 0;
}

void kernel_records_open(struct kernel_records *records, pid_t tid, bool without_faults)
{
    kernel_records_begin(records, (struct faults_task){.tid = tid, .inherit = true, .on_exec = true}, without_faults);
}

void kernel_records_open_running(struct kernel_records *records, pid_t tid)
{
    records->faults.of_machine = tid == -1;
    kernel_records_begin(records, (struct faults_task){.tid = tid, .inherit = !records->faults.of_machine}, false);
}

int kernel_records_add(struct kernel_records *records, pid_t tid)
{
    int status = 0;
    for (size_t i = 0; i < records->count && status == 0; i++)
        status = faults_add(&records->sources[i],
                            (struct faults_task){.tid = tid, .cpu = records->sources[i].cpu, .inherit = true});
    return status;
}

void kernel_records_tick(struct kernel_records *records, uint64_t now)
{
    for (size_t i = 0; i < records->count; i++)
        faults_adapt(&records->sources[i], now);
}

int kernel_records_watch(const struct kernel_records *records, kernel_records_watch_fd *watch, void *context)
{
    int status = 0;
    for (size_t i = 0; i < records->count && status == 0; i++)
        status = watch(context, records->sources[i].fd_some);
    return status;
}

// --- the end

void kernel_records_count_lost(struct kernel_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        records->losses->records += faults_lost_untold(&records->sources[i]);
}

void kernel_records_write_evidence(struct kernel_records *records)
{
    const char *detail = records->faults.of_machine       ? "page faults, of all processes by CPU"
                         : records->faults.exclude_kernel ? "page faults, without those inside system calls"
                                                          : "page faults";
    struct note_missing missing = {.why = "left out by --without faults"};
    bool used = records->count > 0;
    if (!used && records->error != -ECANCELED)
        missing = refusals_missing(records->refusals, records->error);
    note_evidence(records->tasks, 4, "faults", used, detail, missing);
}

// Counts the target's faults; 0 if the events count the whole machine.
static uint64_t kernel_records_count_faults(struct kernel_records *records)
{
    uint64_t counted = 0;
    for (size_t i = 0; i < records->count && !records->faults.of_machine; i++)
        if (faults_count(&records->sources[i]) == 0)
            counted += records->sources[i].counted;
    return counted;
}

uint64_t kernel_records_missed(struct kernel_records *records)
{
    const uint64_t counted = kernel_records_count_faults(records), sampled = records->faults.sampled_weight;
    return counted > sampled ? counted - sampled : 0;
}

void kernel_records_finish(struct kernel_records *records)
{
    const uint64_t counted = kernel_records_count_faults(records);
    if (counted > 0)
        note_write(records->tasks, "faults", (int64_t)counted, NULL,
                   "%llu page faults were counted, samples stand for %llu", (unsigned long long)counted,
                   (unsigned long long)records->faults.sampled_weight);
}
