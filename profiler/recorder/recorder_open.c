// SPDX-License-Identifier: Apache-2.0
// The recorder before the target runs.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/events/event_plan.h"
#include "core/system/clock.h"
#include "core/text/diag.h"
#include "profiler/launch/file_limit.h"
#include "profiler/output/output_name.h"
#include "profiler/recorder/recorder.h"
#include "profiler/recorder/recorder_modules.h"

struct recorder *recorder_new(const struct run_options *options, const struct target *target, int repeat)
{
    struct recorder *recorder = calloc(1, sizeof *recorder); // most of its 3 MiB is never touched by a short run
    if (!recorder)
        return NULL;
    recorder->options = options;
    recorder->target = target;
    recorder->started = clock_read(CLOCK_REALTIME).tv_sec;
    recorder->windows.control.fd = -1;
    recorder->run = (struct run_rows){
        .options = options, .target = target, .machine = &recorder->machine, .repeat = repeat};
    return recorder;
}

// Field by field: most of their 800 KiB is not to be touched.
static void recorder_connect_large_modules(struct recorder *r)
{
    r->allocations.tasks = r->sets.tasks = &r->tasks;
    r->allocations.streams = r->sets.streams = &r->streams;
    r->allocations.losses = r->sets.losses = &r->losses;
    r->allocations.walk = r->sets.walk = &r->walk;
    r->sets.topology = &r->machine.topology;
    r->sets.refusals = &r->refusals;
    r->sets.samples = &r->samples;
    r->sets.objects = &r->allocations.objects;
}

// Sets which module uses which others. Pointers to the channel follow when it is open.
static void recorder_connect_modules(struct recorder *r)
{
    recorder_connect_large_modules(r);
    r->windows = (struct windows){.options = r->options, .tasks = &r->tasks, .sets = &r->sets};
    r->targets = (struct targets){
        .tasks = &r->tasks, .faults = &r->records.faults, .sets = &r->sets, .allocations = &r->allocations,
        .walk = &r->walk, .programs = {.tasks = &r->tasks, .sets = &r->sets, .unconnected = &r->unconnected},
        .outside = {.tasks = &r->tasks, .sets = &r->sets, .machine = &r->machine}};
    r->targets.pages = r->options->no_pages ? NULL : &r->pages;
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
    // Threads wait for their events only if there are any.
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
        char clean[256];
        diag_error("numaprof events shows what this CPU counts", "--events %s: not a list of classes such as %s",
                   diag_clean(clean, sizeof clean, r->options->events), event_plan_all_topics);
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
    // The name in /proc/PID/maps and in the kernel's records. A file in memory has no path; readlink gives its name.
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
    r->records.ranks = r->machine.is_rank ? r->machine.rank.local_size : 1;
    kernel_records_open(&r->records, r->launcher.tid, r->options->no_faults);
    file_limit_return(&files); // the target gets the original limit
    return launch_thread_prepare(&r->launcher, launch, r->target, r->options->arguments, signals, environment);
}

// --- attaching

static void recorder_start_thread_starts(struct recorder *r)
{
    if (r->has_channel)
        r->channel_error = thread_starts_start(&r->starts, &r->channel, &r->sets.counters);
    if (r->channel_error < 0)
        note_write(&r->tasks, "channel", RECORDING_NULL,
                   r->channel_error == -EAGAIN ? OUTPUT_NAME_MORE_PROCESSES : NULL,
                   "threads are not pinned: no channel to the program: %s", output_name_cause(r->channel_error));
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
    counter_sets_begin(&r->sets);
    int status = attached_begin(&r->attached);
    r->pages.sees_touches = r->tasks.has_kernel_records;
    if (status == 0)
        return 0;
    if (status == -ESRCH)
        diag_error("start it again", "process %d has just ended", r->pid);
    else
        diag_error(NULL, "cannot attach to process %d: %s", r->pid, strerror(-status));
    return status == -ESRCH ? DIAG_EXIT_NOT_FOUND : DIAG_EXIT_FAILED;
}

// Warns before the run, which may be long, about missing evidence that all advice needs.
static void recorder_warn(struct recorder *r)
{
    if (r->options->quiet || r->run.repeat > 1)
        return;
    if (access("/proc/self/stat", F_OK) < 0)
        diag_warn("mount -t proc proc /proc", "there is no /proc: nodes of pages and program names are not recorded");
    if (r->records.error < 0 && r->records.error != -ECANCELED) {
        struct note_missing missing = refusals_missing(&r->refusals, r->records.error);
        diag_warn(missing.remedy, "page faults are not recorded, so the report will name no line: %s", missing.why);
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
    int status = output_name_create(&r->tasks.queue, path);
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
    recording_queue_hurry(r->tasks.queue); // so that an early kill or a full disk leaves a readable recording
    return 0;
}
