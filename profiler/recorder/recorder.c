// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/recorder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collectors/pages/movers.h"
#include "collectors/pages/pages.h"
#include "core/system/clock.h"
#include "core/text/diag.h"
#include "profiler/launch/file_limit.h"
#include "profiler/launch/launch_thread.h"
#include "profiler/launch/output_name.h"
#include "profiler/launch/placing.h"
#include "profiler/recorder/own_limits.h"
#include "profiler/recorder/run/run_rows.h"
#include "profiler/recorder/targets/attached.h"
#include "profiler/recorder/targets/kernel_records.h"
#include "profiler/recorder/targets/messages.h"
#include "profiler/recorder/targets/proc_scan.h"
#include "profiler/symbols/object_declarations.h"
#include "profiler/symbols/symbols.h"

struct recorder {
    const struct run_options *options;
    const struct target *target;
    time_t started;                  // by the clock that files have
    pid_t pid;                       // of the target
    char preload_path[PATH_MAX];     // as the kernel reports it; "": none
    const char *why_no_preload;      // NULL: there is one, or nobody knows
    struct programs_unconnected unconnected;
    struct own_limits limits;
    struct launch_thread launcher;
    struct machine machine;
    struct run_rows run;

    struct channel_server channel;
    int channel_error;               // why there is none
    bool has_channel;                // threads are seen at their start and pinned
    struct thread_starts starts;

    struct tasks tasks;
    struct perf_streams streams;
    struct losses losses;
    struct refusals refusals;
    struct samples samples;
    struct stack_walk walk;
    struct allocations allocations;
    struct counter_sets sets;
    struct windows windows;
    struct pages pages;
    struct movers movers;            // before the run
    struct targets targets;
    struct kernel_records records;
    struct messages messages;
    struct proc_scan scan;
    struct attached attached;        // of a program that runs already
};

struct recorder *recorder_new(const struct run_options *options, const struct target *target, int repeat)
{
    struct recorder *recorder = calloc(1, sizeof *recorder); // most of its half MiB is never touched by a short run
    if (!recorder)
        return NULL;
    recorder->options = options;
    recorder->target = target;
    recorder->started = time(NULL);
    recorder->windows.control.fd = -1;
    recorder->run = (struct run_rows){
        .options = options, .target = target, .machine = &recorder->machine, .repeat = repeat};
    return recorder;
}

// Which module uses which others. Those of the channel are added once it is open.
static void recorder_connect_modules(struct recorder *r)
{
    r->allocations = (struct allocations){
        .tasks = &r->tasks, .streams = &r->streams, .losses = &r->losses, .walk = &r->walk};
    r->sets = (struct counter_sets){
        .topology = &r->machine.topology, .tasks = &r->tasks, .streams = &r->streams, .losses = &r->losses,
        .walk = &r->walk, .refusals = &r->refusals, .samples = &r->samples, .objects = &r->allocations.objects};
    r->windows = (struct windows){.options = r->options, .tasks = &r->tasks, .sets = &r->sets};
    r->targets = (struct targets){
        .tasks = &r->tasks, .faults = &r->records.faults, .sets = &r->sets, .allocations = &r->allocations,
        .walk = &r->walk, .programs = {.tasks = &r->tasks, .sets = &r->sets, .unconnected = &r->unconnected},
        .outside = {.tasks = &r->tasks, .sets = &r->sets, .machine = &r->machine}};
    r->records.targets = &r->targets;
    r->records.topology = &r->machine.topology;
    r->records.tasks = &r->tasks;
    r->records.streams = &r->streams;
    r->records.losses = &r->losses;
    r->records.refusals = &r->refusals;
    r->records.samples = &r->samples;
    r->messages.connections =
        (struct connections){.starts = &r->starts, .streams = &r->streams, .targets = &r->targets};
    r->messages.windows = &r->windows;
    r->messages.pages = r->options->no_pages ? NULL : &r->pages;
    r->scan = (struct proc_scan){.targets = &r->targets, .machine = &r->machine};
    r->targets.counts_at_fork = r->options->running != NULL;
    r->attached = (struct attached){.running = r->options->running, .targets = &r->targets, .records = &r->records,
                                    .without_faults = r->options->no_faults, .topology = &r->machine.topology};
}

static void recorder_open_channel(struct recorder *r)
{
    // A thread waits for its events; where there are none, it has nothing to wait for.
    r->channel_error = channel_server_open(&r->channel, r->machine.pin_order, r->machine.slot_count, r->sets.usable);
    r->has_channel = r->channel_error == 0;
    struct channel_server *channel = r->has_channel ? &r->channel : NULL;
    r->targets.channel = r->targets.outside.channel = r->messages.connections.channel = channel;
}

int recorder_open(struct recorder *r)
{
    recorder_connect_modules(r);
    int status = machine_open(&r->machine, r->options);
    if (status != 0)
        return status;
    if (stack_walk_open(&r->walk) < 0 || allocations_open(&r->allocations) < 0) {
        diag_error(NULL, "out of memory");
        return DIAG_EXIT_FAILED;
    }
    if (r->options->running) {
        topology_allow(&r->machine.topology, r->options->running->processes[0].pid);
        r->started -= running_oldest_s(r->options->running);
    }
    status = windows_open(&r->windows);
    if (status != 0)
        return status;
    if (counter_sets_open(&r->sets, r->options, r->machine.emulated != NULL, !r->windows.is_on) < 0) {
        diag_error("numaprof events shows what this CPU can be asked", "--events: unknown question");
        return DIAG_EXIT_FAILED;
    }
    r->run.uarch = r->sets.counters.cpu ? r->sets.counters.cpu->name : NULL;
    if (!r->options->running)
        recorder_open_channel(r);
    return 0;
}

const char *recorder_channel_address(const struct recorder *r)
{
    return r->has_channel ? r->channel.address : NULL;
}

void recorder_set_preload(struct recorder *r, const char *path, const char *why_not)
{
    r->why_no_preload = why_not;
    // As /proc/PID/maps and the kernel's records have it. A file in memory has no path, but a name there: readlink tells it.
    if (*path && realpath(path, r->preload_path))
        return;
    ssize_t n = readlink(path, r->preload_path, sizeof r->preload_path - 1);
    r->preload_path[n > 0 ? n : 0] = '\0';
}

int recorder_launch(struct recorder *r, struct launch *launch, const struct launch_signals *signals,
                    char *const *environment)
{
    struct rlimit files;
    int status = launch_thread_start(&r->launcher);
    if (status < 0)
        return status;
    file_limit_raise(&files); // two events for each CPU
    kernel_records_open(&r->records, r->launcher.tid, r->options->no_faults);
    file_limit_return(&files); // the target gets what we came with
    return launch_thread_prepare(&r->launcher, launch, r->target, r->options->arguments, signals, environment);
}

// --- attaching

static int recorder_create_recording(struct recorder *r, const char *path)
{
    struct recording *recording;
    char clean[512];
    int status = recording_create(&recording, path);
    if (status == 0) {
        status = recording_queue_start(&r->tasks.queue, recording);
        if (status < 0)
            recording_close(recording);
    }
    if (status == 0)
        return 0;
    diag_error(output_name_remedy(status), "cannot create %s: %s", diag_clean(clean, sizeof clean, path), strerror(-status));
    return DIAG_EXIT_FAILED;
}

static void recorder_start_thread_starts(struct recorder *r)
{
    if (r->has_channel)
        r->channel_error = thread_starts_start(&r->starts, &r->channel, &r->sets.counters);
    if (r->channel_error < 0)
        note_write(&r->tasks, "channel", RECORDING_NULL, NULL, "threads are not pinned: no channel to the program: %s",
                   strerror(-r->channel_error));
}

static void recorder_attach_pages(struct recorder *r)
{
    r->pages = (struct pages){
        .queue = r->tasks.queue,
        .tasks = &r->tasks,
        .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
        .sees_touches = r->tasks.has_kernel_records,
        .only_move_pages = r->options->running != NULL,
    };
    if (!r->options->no_pages)
        pages_start(&r->pages);
}

static int recorder_attach_target(struct recorder *r)
{
    struct process *process = tasks_add_process(&r->tasks, r->pid, NULL, r->tasks.epoch, "inherited");
    if (!process || !tasks_add_thread(&r->tasks, process, r->pid, r->tasks.epoch, true, NULL)) {
        diag_error(NULL, "out of memory");
        return DIAG_EXIT_FAILED;
    }
    programs_announce_target(process, r->target);
    counter_sets_attach(&r->sets, r->pid, r->target->kind == ELF_KIND_GLIBC && r->has_channel);
    return 0;
}

static int recorder_attach_running(struct recorder *r)
{
    if (!counter_sets_begin(&r->sets))
        r->sets.usable = false;
    int status = attached_begin(&r->attached);
    r->pages.sees_touches = r->tasks.has_kernel_records;
    if (status == 0)
        return 0;
    diag_error("start it again", "cannot attach to process %d: %s", r->pid,
               status == -ESRCH ? "it has ended" : strerror(-status));
    return DIAG_EXIT_FAILED;
}

// What every advice rests on, and is not there: said before the run, which may be long.
static void recorder_warn(struct recorder *r)
{
    if (r->options->quiet || r->run.repeat > 1)
        return;
    if (access("/proc/self/stat", F_OK) < 0)
        diag_warn("mount -t proc proc /proc", "there is no /proc: nodes of pages and names of programs are not recorded");
    if (r->records.error < 0 && r->records.error != -ECANCELED) {
        struct note_missing missing = refusals_missing(&r->refusals, r->records.error);
        diag_warn(missing.remedy, "page faults are not recorded, so no line will be named: %s", missing.why);
    }
    if (r->has_channel && !*r->preload_path)
        diag_warn("install numaprof with all its files", "threads are not pinned and not counted one by one: "
                                                         "libnumaprof-preload.so is not beside the program");
}

int recorder_attach(struct recorder *r, const char *path, pid_t pid)
{
    own_limits_raise(&r->limits, &r->machine);
    if (r->options->running && attached_plan(&r->attached) != 0)
        return DIAG_EXIT_FAILED;
    int status = recorder_create_recording(r, path);
    if (status != 0)
        return status;
    r->pid = r->run.pid = pid;
    if (r->has_channel)
        channel_server_set_target(&r->channel, pid);
    r->tasks.epoch = r->run.epoch = clock_now();
    r->walk.stacks.queue = r->tasks.queue;
    r->walk.stacks.hidden = *r->preload_path ? r->preload_path : NULL;
    r->samples = (struct samples){.queue = r->tasks.queue, .stacks = &r->walk.stacks};
    allocations_attach(&r->allocations);
    run_rows_begin(&r->run, r->tasks.queue);
    machine_write(&r->machine, r->tasks.queue);
    recorder_start_thread_starts(r);
    recorder_attach_pages(r);
    status = r->options->running ? recorder_attach_running(r) : recorder_attach_target(r);
    if (status != 0)
        return status;
    movers_read(&r->movers, &r->machine.topology, "");
    recorder_warn(r);
    recording_queue_hurry(r->tasks.queue); // a recorder that is killed soon, or a disk that is soon full, leaves a run to read
    return 0;
}

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
    size_t messages = messages_take(&r->messages); // a thread's start is known before its end, however short it was
    return messages + perf_streams_drain(&r->streams, until);
}

bool recorder_has_targets(const struct recorder *r)
{
    return r->tasks.processes.used > 0;
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
        proc_scan_run(&r->scan, now);
    }
    return records;
}

// --- the end

static void recorder_resolve_symbols(struct recorder *r)
{
    struct progress progress;
    int64_t next_place;
    const struct symbols_request request = {.stacks = &r->walk.stacks, .programs = &r->tasks.programs,
                                            .files = r->walk.files, .since = r->started, .queue = r->tasks.queue,
                                            .progress = &progress, .next_place = &next_place};
    progress_begin(&progress, r->options->quiet ? NULL : "looking up functions and lines");
    symbols_resolve(&request);
    const struct object_declarations_request declared = {.objects = &r->allocations.objects,
                                                         .files = r->walk.files,
                                                         .programs = &r->tasks.programs,
                                                         .queue = r->tasks.queue,
                                                         .next_place = next_place,
                                                         .next_stack = r->walk.stacks.stack_count + 1};
    object_declarations_resolve(&declared);
    progress_end(&progress);
    const uint64_t stale = program_files_stale(r->walk.files);
    if (stale > 0)
        note_write(&r->tasks, "replaced", (int64_t)stale, "do not rebuild what is being recorded",
                   "%llu %s changed while the program ran: what stood in %s is not known", (unsigned long long)stale,
                   stale == 1 ? "file was" : "files were", stale == 1 ? "it" : "them");
}

static void recorder_write_evidence(struct recorder *r)
{
    counter_sets_write_evidence(&r->sets);
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
        note_write(&r->tasks, "moved", moved, "sysctl kernel.numa_balancing=0", "%s", text);
    run_rows_end(&r->run, r->tasks.queue, wait_status, end, movers_moved(&r->movers, &after, MOVERS_BALANCED));
    movers_free(&after);
}

// read() into a buffer (where the kernel's faults are not ours to see), mlock, MAP_POPULATE, MADV_POPULATE_WRITE.
// Pages of faults that no sample stands for are none of these.
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
                   "%llu MiB of private memory were placed by the kernel on behalf of read(), mlock(), MAP_POPULATE or the "
                   "like: their nodes are known, by which thread is unknown", (unsigned long long)mib);
}

// A last look at the pages of processes that go on, then everything that was opened on them is closed.
static void recorder_detach(struct recorder *r)
{
    uint64_t key, value, now = clock_now();
    for (size_t at = 0; !r->options->no_pages && r->pages.error != -EPERM && table_next(&r->tasks.processes, &at, &key, &value);)
        pages_snapshot(&r->pages, (struct process *)(uintptr_t)value, now, "detach");
    for (size_t at = 0; table_next(&r->tasks.threads, &at, &key, &value); at = 0) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        counter_sets_end(&r->sets, thread, now);
        targets_end_thread(&r->targets, thread, 0);
    }
    perf_streams_close_ended(&r->streams);
    kernel_records_close(&r->records);
}

int recorder_finish(struct recorder *r, const int *wait_status, uint64_t end)
{
    messages_take(&r->messages);
    perf_streams_drain(&r->streams, UINT64_MAX);
    r->records.faults.hurry = true;
    targets_classify(&r->targets, NULL);
    pages_stop(&r->pages);
    counter_sets_read(&r->sets, clock_now());
    const struct process *target = tasks_process(&r->tasks, r->pid);
    if (wait_status && target)
        targets_end_process(&r->targets, target, end); // where the kernel's records of its end were lost
    recorder_write_movers(r, wait_status, end);
    recorder_write_evidence(r);
    allocations_close_rings(&r->allocations);
    allocations_finish(&r->allocations, r->target->kind, r->has_channel);
    losses_finish(&r->losses, &r->tasks);
    if (r->options->placing)
        placing_record(r->options->placing, r->tasks.queue);
    messages_finish(&r->messages);
    programs_finish(&r->targets.programs, r->preload_path, r->why_no_preload);
    stack_walk_finish(&r->walk, &r->tasks);
    counter_sets_finish(&r->sets);
    kernel_records_finish(&r->records);
    recorder_note_unseen_pages(r);
    attached_finish(&r->attached);
    if (r->options->running)
        recorder_detach(r);
    samples_write_sums(&r->samples);
    tasks_end_all(&r->tasks);
    recorder_resolve_symbols(r);
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
    thread_starts_stop(&r->starts);
    pages_stop(&r->pages);
    if (r->tasks.queue)
        allocations_close_rings(&r->allocations);
    perf_streams_close_ended(&r->streams);
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
