// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/emulated.h"
#include "core/text/diag.h"
#include "core/topology/topology_pin.h"
#include "profiler/launch/output_name.h"
#include "profiler/recorder/session.h"

enum { SESSION_NICE = -10 };

static int session_refuse_list(const char *list, int status, const struct topology_pin_refusal *refusal)
{
    char clean[128], why[512];
    diag_clean(clean, sizeof clean, list);
    if (status == -EPERM)
        diag_error("numaprof topology shows the CPUs there are", "--pin %s: %s", clean,
                   topology_pin_explain(why, sizeof why, refusal));
    else
        diag_error("use compact, scatter, none or a list such as 0,2,4-7", "--pin %s is neither a policy nor a list",
                   clean);
    return DIAG_EXIT_FAILED;
}

static int session_make_plan(struct session *session)
{
    const struct run_options *options = session->options;
    struct topology_pin_refusal refusal;
    int count = 0;
    switch (options->pin) {
    case RUN_PIN_COMPACT:
        count = topology_pin_order(&session->topology, TOPOLOGY_PIN_COMPACT, session->pin_order, CPULIST_MAX);
        break;
    case RUN_PIN_SCATTER:
        count = topology_pin_order(&session->topology, TOPOLOGY_PIN_SCATTER, session->pin_order, CPULIST_MAX);
        break;
    case RUN_PIN_LIST:
        count = topology_pin_list(&session->topology, options->pin_list, session->pin_order, CPULIST_MAX, &refusal);
        if (count < 0)
            return session_refuse_list(options->pin_list, count, &refusal);
        break;
    case RUN_PIN_NONE:
        break;
    }
    session->slot_count = count > 0 ? (size_t)count : 0;
    return 0;
}

static int session_open_control(struct session *session)
{
    char clean[512];
    const char *path = session->options->control;
    int status = path ? control_open(&session->control, path) : 0;
    if (status == 0)
        return 0;
    diag_error(status == -EEXIST ? "give the name of a FIFO, or of one to be made" : "choose a place you can write to",
               "--control %s: %s", diag_clean(clean, sizeof clean, path),
               status == -EEXIST ? "is there, and is not a FIFO" : strerror(-status));
    return DIAG_EXIT_FAILED;
}

struct session *session_new(const struct run_options *options, const struct target *target, int repeat)
{
    struct session *session = calloc(1, sizeof *session); // most of its half MiB is never touched by a short run
    if (!session)
        return NULL;
    session->options = options;
    session->target = target;
    session->repeat = repeat;
    session->started = time(NULL);
    session->control.fd = -1;
    return session;
}

int session_open(struct session *session)
{
    int status = topology_read(&session->topology, "");
    if (status < 0) {
        diag_error("mount /proc and /sys", "this machine's CPUs cannot be read: %s", strerror(-status));
        return DIAG_EXIT_FAILED;
    }
    if (emulated_name(session->emulated_name, sizeof session->emulated_name, ""))
        session->emulated = session->emulated_name;
    session->files = program_files_new();
    session->unwind = unwind_open(session->files);
    session->variables = variables_open(session->files);
    if (!session->files || !session->unwind || !session->variables) {
        diag_error(NULL, "out of memory");
        return DIAG_EXIT_FAILED;
    }
    status = session_make_plan(session);
    if (status == 0)
        status = session_open_control(session);
    if (status != 0)
        return status;
    if (session_prepare_counters(session) < 0) {
        diag_error("numaprof events shows what this CPU can be asked", "--events: unknown question");
        return DIAG_EXIT_FAILED;
    }
    // A thread waits for its events; where there are none, it has nothing to wait for.
    session->channel_error =
        channel_server_open(&session->channel, session->pin_order, session->slot_count, session->counters_on);
    session->has_channel = session->channel_error == 0;
    return 0;
}

// --- attaching

static int session_create_recording(struct session *session, const char *path)
{
    struct recording *recording;
    char clean[512];
    int status = recording_create(&recording, path);
    if (status == 0) {
        status = recording_queue_start(&session->queue, recording);
        if (status < 0)
            recording_close(recording);
    }
    if (status == 0)
        return 0;
    diag_error(output_name_remedy(status), "cannot create %s: %s", diag_clean(clean, sizeof clean, path), strerror(-status));
    return DIAG_EXIT_FAILED;
}

// The program begins on the first CPU of the plan and is not bound to it yet: if we ran there too, the kernel would move
// one of us, and what the program initialises then would lie elsewhere than where its main thread is pinned later.
static void session_stay_off_first_cpu(const struct session *session)
{
    struct cpulist mask = session->topology.allowed_cpus;
    cpulist_remove(&mask, session->pin_order[0]);
    if (session->slot_count > 1)
        syscall(SYS_sched_setaffinity, 0, sizeof mask.bits, mask.bits); // a wish: the run goes on without
}

// Rings overflow when we get no CPU in time, and we need little of it. Also a wish: it takes privilege.
static void session_come_first(int nice)
{
    setpriority(PRIO_PROCESS, 0, nice);
}

// Whatever we start next must not inherit it.
static void session_return_to_all_cpus(const struct session *session)
{
    const struct cpulist *mask = &session->topology.allowed_cpus;
    if (session->slot_count > 1)
        syscall(SYS_sched_setaffinity, 0, sizeof mask->bits, mask->bits);
}

static void session_start_greeter(struct session *session)
{
    if (session->has_channel)
        session->channel_error = thread_starts_start(&session->greeter, &session->channel, &session->counters);
    if (session->channel_error < 0)
        session_note(session, "channel", RECORDING_NULL, NULL, "threads are not pinned: no channel to the program: %s",
                     strerror(-session->channel_error));
}

int session_attach(struct session *session, const char *path, pid_t pid)
{
    session_stay_off_first_cpu(session);
    file_limit_raise(&session->files_before);
    session->nice_before = getpriority(PRIO_PROCESS, 0);
    session_come_first(SESSION_NICE);
    int status = session_create_recording(session, path);
    if (status != 0)
        return status;
    session->pid = pid;
    if (session->has_channel)
        channel_server_set_target(&session->channel, pid);
    session->epoch = clock_now();
    session->tasks = (struct tasks){.queue = session->queue, .epoch = session->epoch};
    session->stacks.queue = session->queue;
    session->stacks.hidden = *session->preload_path ? session->preload_path : NULL;
    session->objects = (struct objects){.queue = session->queue, .tasks = &session->tasks,
                                        .find_variable = variables_find, .context = session->variables};
    session->samples = (struct samples){.queue = session->queue, .stacks = &session->stacks};
    session_write_run(session);
    session_write_machine(session);
    session_start_greeter(session);
    session_open_faults(session);
    session->pages = (struct pages){
        .queue = session->queue,
        .tasks = &session->tasks,
        .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
        .sees_touches = session->fault_source_count > 0,
    };
    if (!session->options->no_pages)
        pages_start(&session->pages);
    struct process *process = tasks_add_process(&session->tasks, pid, NULL, session->epoch, "inherited");
    if (!process || !tasks_add_thread(&session->tasks, process, pid, session->epoch, true, NULL)) {
        diag_error(NULL, "out of memory");
        return DIAG_EXIT_FAILED;
    }
    session_announce_target(session, process);
    session_open_counters(session);
    session->balancing_moved_before = session_balancing_moved();
    session_warn(session);
    recording_queue_hurry(
        session->queue); // a recorder that is killed soon, or a disk that is soon full, leaves a run to read
    return 0;
}

void session_start(struct session *session)
{
    session->scanned_at = clock_now();
    if (session->counting)
        RECORD(session->queue, RECORDING_WINDOW, RECORD_NUMBER(0), RECORD_NULL, RECORD_TEXT("run"));
}

void session_close(struct session *session)
{
    control_close(&session->control);
    session_close_faults(session);
    file_limit_return(&session->files_before);
    session_return_to_all_cpus(session);
    session_come_first(session->nice_before);
    thread_starts_stop(&session->greeter);
    pages_stop(&session->pages);
    session_close_counters(session);
    session_close_all_blocks(session);
    if (session->has_channel)
        channel_server_close(&session->channel);
    if (session->queue) {
        tasks_end_all(&session->tasks);
        recording_queue_stop(session->queue);
    }
    faults_free(&session->faults);
    objects_free(&session->objects);
    call_stacks_free(&session->stacks);
    table_free(&session->strangers);
    tasks_free(&session->tasks);
    unwind_close(session->unwind);
    variables_close(session->variables);
    program_files_free(session->files);
    topology_free(&session->topology);
    free(session->streams);
    free(session);
}
