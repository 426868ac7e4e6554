// SPDX-License-Identifier: Apache-2.0
// The recorder while the target runs, and at its end.
#include "profiler/recorder/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/processes/thread_time.h"
#include "core/system/clock.h"
#include "profiler/launch/placing.h"
#include "profiler/recorder/evidence/counter_sets_evidence.h"
#include "profiler/recorder/recorder_modules.h"
#include "profiler/symbols/names.h"
#include "profiler/recorder/targets/pins.h"

void recorder_start(struct recorder *r)
{
    r->scan.scanned_at = clock_now();
    windows_start(&r->windows);
}

// --- running

int recorder_watch(const struct recorder *r, int (*watch)(void *context, int fd), void *context)
{
    int status = 0;
    if (r->has_channel)
        status = watch(context, r->channel.listener);
    if (r->windows.control.fd >= 0 && status == 0)
        status = watch(context, r->windows.control.fd);
    if (r->starts.runs && status == 0)
        status = watch(context, r->starts.wake);
    return status == 0 ? kernel_records_watch(&r->records, watch, context) : status;
}

void recorder_ready(struct recorder *r, int fd)
{
    if (r->starts.runs && fd == r->starts.wake)
        thread_starts_awake(&r->starts); // the tick reads messages and connections
}

// Takes the messages that were sent, then the kernel's records up to now. Returns how many there were of both.
static size_t recorder_drain(struct recorder *r)
{
    uint64_t until = clock_now();
    size_t messages = messages_take(&r->messages); // first, so that a thread's start is known before its end
    return messages + perf_streams_drain(&r->streams, messages_drain_until(&r->messages, until));
}

bool recorder_has_targets(const struct recorder *r)
{
    return r->tasks.processes.used > 0;
}

int recorder_ranks(const struct recorder *r)
{
    return r->records.ranks > 1 ? r->records.ranks : 1;
}

size_t recorder_tick(struct recorder *r, uint64_t now)
{
    size_t records = recorder_drain(r);
    targets_classify(&r->targets, NULL);
    kernel_records_tick(&r->records, now);
    if (!r->options->no_pages)
        pages_tick(&r->pages, now, r->records.faults.balancing);
    windows_tick(&r->windows, now);
    counter_sets_tick(&r->sets, now);
    attached_tick(&r->attached, now);
    if (proc_scan_is_due(&r->scan, now)) {
        recorder_drain(r);
        if (!messages_are_held(&r->messages)) // it takes a thread for gone whose end is still in the rings
            proc_scan_run(&r->scan, now);
    }
    return records;
}

// --- the end

static void recorder_write_names(struct recorder *r)
{
    if (!names_write(&(struct names_request){.tasks = &r->tasks,
                                             .stacks = &r->walk.stacks,
                                             .files = r->walk.files,
                                             .objects = &r->allocations.objects,
                                             .since = r->started,
                                             .quiet = r->options->quiet}))
        note_write(&r->tasks, "unnamed", 0, "ulimit -v unlimited", NAMES_MISSING);
    const uint64_t stale = program_files_stale(r->walk.files);
    if (stale > 0)
        note_write(&r->tasks, "replaced", (int64_t)stale, "do not rebuild what is being recorded",
                   "%llu %s changed while the program ran: places in %s have no names", (unsigned long long)stale,
                   stale == 1 ? "file was" : "files were", stale == 1 ? "it" : "them");
}

static void recorder_write_evidence(struct recorder *r)
{
    counter_sets_evidence_write(&r->sets);
    kernel_records_write_evidence(&r->records);
    struct note_missing missing = {.why = r->options->no_pages ? "left out by --without pages"
                                          : r->pages.error < 0 ? strerror(-r->pages.error)
                                                               : "the program ended before its pages were looked at"};
    if (r->pages.error == -ENOENT)
        missing = (struct note_missing){.why = "there is no /proc", .remedy = "mount -t proc proc /proc"};
    note_evidence(&r->tasks, 5, "pages", r->pages.worked,
                  r->pages.only_counts ? "numa_maps: how many pages, not which" : "move_pages", missing);
}

static void recorder_write_movers(struct recorder *r, const int *wait_status, uint64_t end)
{
    struct movers after;
    char text[512];
    movers_read(&after, &r->machine.topology, "");
    movers_write(&r->movers, &after, &r->machine.topology, r->tasks.queue);
    int64_t moved = movers_describe(&r->movers, &after, text, sizeof text);
    if (moved > 0)
        note_write(&r->tasks, "moved", moved, movers_remedy(&r->movers, &after), "%s", text);
    run_rows_end(&r->run, r->tasks.queue, wait_status, end, movers_moved(&r->movers, &after, MOVERS_BALANCED));
    movers_free(&after);
}

// Pages without a recorded fault: read() into a buffer (if kernel faults are not recorded), mlock, MAP_POPULATE,
// MADV_POPULATE_WRITE. Faults that no sample stands for are subtracted.
static void recorder_note_unseen_pages(struct recorder *r)
{
    enum { LEAST_MIB = 1, HUGE_PAGE_BYTES = 2 << 20 };
    uint64_t a_fault = r->records.faults.huge_pages ? HUGE_PAGE_BYTES : r->pages.page_bytes;
    uint64_t missed = kernel_records_missed(&r->records);
    uint64_t bytes = r->pages.unseen_pages * r->pages.page_bytes;
    bytes = missed < bytes / a_fault ? bytes - missed * a_fault : 0;
    uint64_t mib = bytes >> 20;
    if (mib >= LEAST_MIB)
        note_write(&r->tasks, "unseen_pages", (int64_t)bytes, NULL,
                   "%llu MiB of private memory were placed by the kernel inside read(), mlock(), MAP_POPULATE or "
                   "similar: the nodes are known, the threads are not%s", (unsigned long long)mib,
                   r->pages.unseen_early ? " (of static and killed programs as of their last snapshot)" : "");
}

// Takes a last snapshot of the processes, which go on, and closes all events on them.
static void recorder_detach(struct recorder *r)
{
    uint64_t key, value, now = clock_now();
    for (size_t at = 0;
         !r->options->no_pages && r->pages.error != -EPERM && table_next(&r->tasks.processes, &at, &key, &value);)
        pages_snapshot(&r->pages, (struct process *)(uintptr_t)value, now, "detach");
    for (size_t at = 0; table_next(&r->tasks.threads, &at, &key, &value); table_removed(&at)) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        thread_time_read(thread);
        counter_sets_end(&r->sets, thread, now);
        targets_end_thread(&r->targets, thread, 0);
    }
    perf_streams_close_ended(&r->streams);
    kernel_records_close(&r->records);
}

// Takes the last messages, and the threads that were answered before. Processes that go on longer are not to wait for
// answers while symbols are looked up.
static void recorder_leave_channel(struct recorder *r)
{
    thread_starts_stop(&r->starts);
    messages_take_last(&r->messages);
    if (!r->has_channel)
        return;
    channel_server_leave(&r->channel);
    pins_give_back(&r->targets);
}

int recorder_finish(struct recorder *r, const int *wait_status, uint64_t end)
{
    recorder_leave_channel(r);
    perf_streams_drain(&r->streams, UINT64_MAX);
    r->records.faults.hurry = true;
    targets_classify(&r->targets, NULL);
    pages_stop(&r->pages);
    counter_sets_read(&r->sets, clock_now());
    const struct process *target = tasks_process(&r->tasks, r->pid);
    if (wait_status && target)
        targets_end_process(&r->targets, target, end); // if the kernel's record of its end was lost
    recorder_write_movers(r, wait_status, end);
    recorder_write_evidence(r);
    allocations_close_rings(&r->allocations);
    allocations_finish(&r->allocations, r->target->kind, r->has_channel);
    kernel_records_count_lost(&r->records);
    losses_finish(&r->losses, &r->tasks);
    if (r->options->placing)
        placing_record(r->options->placing, r->tasks.queue);
    messages_finish(&r->messages);
    programs_finish(&r->targets.programs, r->preload_path, r->why_no_preload);
    stack_walk_finish(&r->walk, &r->tasks);
    counter_sets_evidence_note(&r->sets);
    kernel_records_finish(&r->records);
    recorder_note_unseen_pages(r);
    attached_finish(&r->attached);
    if (r->options->running)
        recorder_detach(r);
    samples_write_sums(&r->samples);
    tasks_end_all(&r->tasks);
    recorder_write_names(r);
    RECORD(r->tasks.queue, RECORDING_COMPLETE);
    int status = recording_queue_stop(r->tasks.queue);
    r->tasks.queue = NULL;
    return status;
}

void recorder_close(struct recorder *r)
{
    windows_close(&r->windows);
    kernel_records_close(&r->records);
    launch_thread_stop(&r->launcher);
    own_limits_return(&r->limits, &r->machine);
    thread_starts_close(&r->starts);
    pages_stop(&r->pages);
    pages_free(&r->pages);
    if (r->tasks.queue)
        allocations_close_rings(&r->allocations);
    perf_streams_close_ended(&r->streams);
    messages_close(&r->messages);
    counter_sets_close(&r->sets);
    if (r->has_channel)
        channel_server_close(&r->channel);
    if (r->tasks.queue) {
        tasks_end_all(&r->tasks);
        recording_queue_stop(r->tasks.queue);
    }
    faults_free(&r->records.faults);
    allocations_close(&r->allocations);
    proc_scan_close(&r->scan);
    attached_close(&r->attached);
    tasks_free(&r->tasks);
    stack_walk_close(&r->walk);
    machine_close(&r->machine);
    movers_free(&r->movers);
    perf_streams_free(&r->streams);
    free(r);
}
