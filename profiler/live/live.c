// SPDX-License-Identifier: Apache-2.0
#include "profiler/live/live.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "core/process/process_stat.h"
#include "core/system/clock.h"
#include "core/system/emulated.h"
#include "core/system/sysfile.h"
#include "profiler/launch/file_limit.h"

enum {
    LIVE_ROOM_FOR_NEW = 4,    // reserves a quarter of the open files for threads that start later
    LIVE_FORGET_REFUSED = 32, // rounds until a refused process is checked again: its pid may be reused
};

// --- the processes

// Lists the requested processes as of now. -errno.
static int live_list(const struct live *live, struct running *found)
{
    const struct live_request *request = live->request;
    *found = (struct running){0};
    return request->all ? running_all_processes(found) : running_now(request->running, found);
}

// --- preparing

static int live_prepare_counters(struct live *live)
{
    char emulated[64];
    struct counters *counters = &live->counters;
    counters->counts_only = true;
    counters->exclude_kernel = true;
    counters->emulated = emulated_name(emulated, sizeof emulated, "");
    counters->all_asked_for = live->request->events != NULL;
    verification_open(&live->verification, &live->topology, counters);
    const char *topics = live->request->events ? live->request->events : event_plan_usual(&live->topology);
    int status = counters_prepare(counters, &live->topology, topics, 1);
    return status == -ENOMEM ? status : 0;
}

// Leaves out event classes first, so that every thread is counted.
static void live_fit_files(struct live *live)
{
    struct rlimit before, now;
    struct running found;
    file_limit_raise(&before);
    getrlimit(RLIMIT_NOFILE, &now);
    live->files_allowed = now.rlim_cur == RLIM_INFINITY ? SIZE_MAX : now.rlim_cur;
    if (live->counters.usable == 0 || live_list(live, &found) < 0)
        return;
    const size_t threads = running_threads(&found);
    const size_t kept = live->files_allowed / LIVE_ROOM_FOR_NEW + LIVE_OWN_FILES;
    const size_t room = live->files_allowed > kept ? live->files_allowed - kept : 1;
    while (threads * counters_files(&live->counters, false) > room && counters_leave_out_last(&live->counters))
        live->left_out++;
    live->counters.files_for_all = room;
    running_free(&found);
}

int live_open(struct live *live, const struct live_request *request, FILE *file)
{
    *live = (struct live){.request = request, .file = file};
    int status = topology_read(&live->topology, "");
    if (status == 0)
        status = live_prepare_counters(live);
    if (status < 0)
        return status;
    live_fit_files(live);
    live_document_header(live);
    return 0;
}

void live_close(struct live *live)
{
    uint64_t pid, value;
    live->round++; // an empty round: the sweep ends all threads
    live_threads_sweep(live);
    for (size_t at = 0; table_next(&live->processes, &at, &pid, &value);)
        free((struct live_process *)(uintptr_t)value);
    table_free(&live->processes);
    table_free(&live->threads);
    counters_free(&live->counters);
    topology_free(&live->topology);
}

// --- a sample

// NULL: out of memory.
static struct live_process *live_meet_process(struct live *live, struct running_process *running)
{
    uint64_t value;
    struct live_process *process;
    bool is_due = live->round % LIVE_FORGET_REFUSED == 0;
    if (table_get(&live->processes, (uint64_t)running->pid, &value)) {
        process = (struct live_process *)(uintptr_t)value;
    } else {
        process = calloc(1, sizeof *process);
        if (!process || table_put(&live->processes, (uint64_t)running->pid, (uintptr_t)process) < 0) {
            free(process);
            return NULL;
        }
        process->pid = running->pid;
        process->refused = true;
        is_due = true;
    }
    if (process->refused && is_due) {
        process->refused = !running_is_measurable(running);
        process->foreign = process->refused && running_is_foreign(running);
    }
    process->round = live->round;
    return process;
}

// False for a zombie, unless only its main thread has ended. Reads fields 3 and 20 of /proc/PID/stat.
static bool live_is_there(pid_t pid)
{
    char text[1024], state;
    const char *fields;
    int threads;
    if (process_stat_read(text, sizeof text, &fields, pid) < 0 ||
        sscanf(fields, "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &state, &threads) != 2)
        return false;
    return !process_stat_is_ended(state) || threads > 1;
}

static void live_write_process(struct live *live, struct json *json, const struct running_process *running)
{
    char name[64];
    struct running_process known = *running;
    struct live_process *process = live_meet_process(live, &known);
    if (!process || process->refused) {
        live->foreign += process && process->foreign;
        return;
    }
    if (!live_is_there(process->pid))
        return;
    live->shown++;
    json_object(json, NULL);
    json_number(json, "pid", process->pid);
    json_text(json, "name", sysfile_text("", name, sizeof name, "/proc/%d/comm", process->pid) > 0 ? name : "");
    live_threads_write(live, json, process);
    live_pages_write(&process->pages, &live->budget, json, process->pid, &live->topology);
    json_close(json);
}

static void live_write_processes(struct live *live, struct json *json)
{
    struct running found;
    const struct live_request *request = live->request;
    int status = live_list(live, &found);
    live->budget = live_pages_share(live->shown ? live->shown : found.count, request->interval_ns);
    live->shown = live->foreign = live->uncounted = 0;
    json_array(json, "processes");
    for (size_t i = 0; status == 0 && i < found.count; i++)
        live_write_process(live, json, &found.processes[i]);
    json_close(json);
    running_free(&found);
}

// Frees processes that have ended. Builds a new table, because a table must not change while it is walked.
static void live_sweep_processes(struct live *live)
{
    uint64_t pid, value;
    struct table kept = {0};
    for (size_t at = 0; table_next(&live->processes, &at, &pid, &value);) {
        struct live_process *process = (struct live_process *)(uintptr_t)value;
        if (process->round != live->round || table_put(&kept, pid, value) < 0)
            free(process);
    }
    table_free(&live->processes);
    live->processes = kept;
}

static int64_t live_own_ns(void)
{
    const struct timespec own = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    return own.tv_sec * (int64_t)CLOCK_S + own.tv_nsec;
}

bool live_sample(struct live *live)
{
    int64_t balancing;
    live->balancing = sysfile_number("", &balancing, "/proc/sys/kernel/numa_balancing") == 0 ? (int)balancing : -1;
    live->round++;
    struct json json = json_begin(live->file, "top_sample", 1);
    json_number(&json, "t_ns", (int64_t)clock_now());
    json_number_known(&json, "balancing", live->balancing);
    live_document_nodes(live, &json);
    live_write_processes(live, &json);
    live_threads_sweep(live);
    live_sweep_processes(live);
    json_number(&json, "foreign", (int64_t)live->foreign);
    json_number(&json, "left_out", live->left_out);
    json_number(&json, "uncounted", (int64_t)live->uncounted);
    json_text(&json, "uncounted_cause",
              live->uncounted ? refusals_explain(&live->refusals, live->uncounted_error)->cause : NULL);
    json_number(&json, "own_ns", live_own_ns());
    json_end(&json);
    return fflush(live->file) == 0 && !ferror(live->file) && (live->shown > 0 || live->request->all);
}
