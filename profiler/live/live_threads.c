// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/process/process_stat.h"
#include "core/system/clock.h"
#include "core/system/sysfile.h"
#include "profiler/live/live.h"

// What /proc/PID/task/TID/stat tells (proc(5)).
struct live_stat {
    char name[64], state;
    uint64_t minor_faults, major_faults, user_ticks, system_ticks, started;
    int64_t rss_pages;
    int cpu;
};

static int live_threads_read_stat(struct live_stat *stat, pid_t pid, pid_t tid)
{
    char text[1024];
    int status = sysfile_text("", text, sizeof text, "/proc/%d/task/%d/stat", pid, tid);
    const char *name = status >= 0 ? strchr(text, '(') : NULL;
    char *end = status >= 0 ? strrchr(text, ')') : NULL;
    if (!name || !end)
        return -1;
    *end = '\0';
    snprintf(stat->name, sizeof stat->name, "%s", name + 1);
    // Fields 3, 10, 12, 14, 15, 22, 24 and 39.
    int found = sscanf(end + 2, "%c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %" SCNu64
                       " %*d %*d %*d %*d %*d %*d %" SCNu64 " %*u %" SCNd64
                       " %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %d",
                       &stat->state, &stat->minor_faults, &stat->major_faults, &stat->user_ticks, &stat->system_ticks,
                       &stat->started, &stat->rss_pages, &stat->cpu);
    return found == 8 ? 0 : -1;
}

// Pages that automatic balancing moved because of the thread's faults: /proc/PID/task/TID/sched (kernel/sched/debug.c).
// -1: the kernel does not tell.
static int64_t live_threads_read_migrated(const struct live *live, pid_t pid, pid_t tid)
{
    static const char name[] = "\nnuma_pages_migrated";
    char text[4096];
    if (live->balancing <= 0 || sysfile_head("", text, sizeof text, "/proc/%d/task/%d/sched", pid, tid) < 0)
        return -1;
    const char *at = strstr(text, name);
    at = at ? strchr(at, ':') : NULL;
    return at ? strtoll(at + 1, NULL, 10) : -1;
}

// --- counters

// Opens counters as long as enough files are left to read /proc.
static void live_threads_count(struct live *live, struct live_thread *thread)
{
    if (live->counters.usable == 0 || thread->counters)
        return;
    const size_t needed = atomic_load(&live->counters.open_files) + counters_files(&live->counters, true);
    if (needed + LIVE_OWN_FILES > live->files_allowed) {
        live->uncounted_error = -EMFILE;
    } else if (!thread->refused) {
        thread->counters = counters_open(&live->counters, thread->tid, -1, (struct counters_how){0});
        thread->refused = !thread->counters;
        if (thread->refused)
            live->uncounted_error = atomic_load(&live->counters.refused_error);
    }
    live->uncounted += !thread->counters;
}

// Writes the task clock, then for each counted group its running time and its counts, in the order of the header.
static void live_threads_write_counts(const struct live *live, struct json *json, struct live_thread *thread)
{
    const int ANY_CPU = 0; // /proc/PID/stat tells where the thread ran
    if (!thread->counters) {
        json_text(json, "counts", NULL);
        return;
    }
    const struct counter_set *set = thread->counters;
    counters_read(thread->counters, ANY_CPU, 0);
    json_array(json, "counts");
    json_number(json, NULL, (int64_t)set->clock_ns);
    for (int i = 0; i < live->counters.group_count; i++) {
        if (live->counters.groups[i].error != 0)
            continue;
        json_number(json, NULL, (int64_t)set->groups[i].running);
        for (int j = 0; j < live->counters.groups[i].count; j++)
            json_number(json, NULL, (int64_t)set->groups[i].values[j]);
    }
    json_close(json);
}

// --- threads

static void live_threads_forget(struct live_thread *thread)
{
    if (thread->counters)
        counters_close(thread->counters);
    thread->counters = NULL;
    thread->refused = false;
}

// NULL: out of memory.
static struct live_thread *live_threads_meet(struct live *live, pid_t tid, uint64_t started)
{
    uint64_t value = 0;
    struct live_thread *thread;
    if (table_get(&live->threads, (uint64_t)tid, &value)) {
        thread = (struct live_thread *)(uintptr_t)value;
        if (thread->started != started)
            live_threads_forget(thread); // an earlier thread with the same tid
    } else {
        thread = calloc(1, sizeof *thread);
        if (!thread || table_put(&live->threads, (uint64_t)tid, (uintptr_t)thread) < 0) {
            free(thread);
            return NULL;
        }
    }
    thread->tid = tid;
    thread->started = started;
    thread->round = live->round;
    return thread;
}

static void live_threads_write_one(struct live *live, struct json *json, pid_t pid, const struct live_stat *stat,
                              struct live_thread *thread)
{
    const int64_t tick_ns = (int64_t)CLOCK_S / sysconf(_SC_CLK_TCK);
    live_threads_count(live, thread);
    json_object(json, NULL);
    json_number(json, "tid", thread->tid);
    json_number(json, "started", (int64_t)thread->started);
    json_text(json, "name", stat->name);
    json_number(json, "cpu_ns", (int64_t)(stat->user_ticks + stat->system_ticks) * tick_ns);
    json_number(json, "cpu", stat->cpu);
    json_number(json, "faults", (int64_t)(stat->minor_faults + stat->major_faults));
    json_number_known(json, "migrated", live_threads_read_migrated(live, pid, thread->tid));
    live_threads_write_counts(live, json, thread);
    json_close(json);
}

void live_threads_write(struct live *live, struct json *json, const struct live_process *process)
{
    char path[64];
    int64_t rss = -1;
    snprintf(path, sizeof path, "/proc/%d/task", process->pid);
    DIR *folder = opendir(path);
    json_array(json, "threads");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        struct live_stat stat;
        pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid <= 0 || live_threads_read_stat(&stat, process->pid, tid) < 0 || process_stat_is_ended(stat.state))
            continue;
        struct live_thread *thread = live_threads_meet(live, tid, stat.started);
        if (!thread)
            break;
        live_threads_write_one(live, json, process->pid, &stat, thread);
        rss = stat.rss_pages;
    }
    json_close(json);
    json_number_known(json, "rss_pages", rss);
    if (folder)
        closedir(folder);
}

void live_threads_sweep(struct live *live)
{
    uint64_t tid, value;
    struct table kept = {0};
    for (size_t at = 0; table_next(&live->threads, &at, &tid, &value);) {
        struct live_thread *thread = (struct live_thread *)(uintptr_t)value;
        if (thread->round == live->round && table_put(&kept, tid, value) == 0)
            continue;
        live_threads_forget(thread);
        free(thread);
    }
    table_free(&live->threads);
    live->threads = kept;
}
