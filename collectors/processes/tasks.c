// SPDX-License-Identifier: Apache-2.0
#include "collectors/processes/tasks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/process/process_stat.h"
#include "core/system/clock.h"
#include "core/system/sysfile.h"

static void *tasks_get(const struct table *table, pid_t key)
{
    uint64_t value;
    return table_get(table, (uint64_t)key, &value) ? (void *)(uintptr_t)value : NULL;
}

struct process *tasks_process(const struct tasks *tasks, pid_t pid)
{
    return tasks_get(&tasks->processes, pid);
}

struct thread *tasks_thread(const struct tasks *tasks, pid_t tid)
{
    return tasks_get(&tasks->threads, tid);
}

struct process *tasks_process_of_channel(const struct tasks *tasks, uint64_t channel)
{
    uint64_t pid, value;
    for (size_t at = 0; table_next(&tasks->processes, &at, &pid, &value);) {
        struct process *process = (struct process *)(uintptr_t)value;
        if (process->channel == channel)
            return process;
    }
    return NULL;
}

// Interned, and remembered as a program of the target's.
static const char *tasks_program(struct tasks *tasks, const char *exe)
{
    const char *path = intern_text(&tasks->paths, exe);
    table_put(&tasks->programs, (uintptr_t)path, 1);
    return path;
}

// NULL: not known.
static const char *tasks_read_exe(struct tasks *tasks, pid_t pid)
{
    char link[64], exe[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", pid);
    ssize_t length = readlink(link, exe, sizeof exe - 1);
    if (length <= 0)
        return NULL;
    exe[length] = '\0';
    return tasks_program(tasks, exe);
}

struct process *tasks_add_process(struct tasks *tasks, pid_t pid, struct process *parent, uint64_t time,
                                  const char *followed)
{
    struct process *process = tasks_process(tasks, pid);
    if (process)
        return process;
    process = calloc(1, sizeof *process);
    if (!process)
        return NULL;
    *process = (struct process){.id = tasks->process_count + 1, .pid = pid, .start = time, .forked = parent != NULL};
    process->space.pid = pid;
    process->lost = parent ? parent->lost : tasks->lost;
    process->shown = parent ? pid : process_stat_shown(pid);
    // A forked child has its parent's address space; one that was found later is read as it is.
    int status = parent ? address_space_copy(&process->space, &parent->space)
                        : address_space_read(&process->space, &tasks->paths, process->shown);
    if (table_put(&tasks->processes, (uint64_t)pid, (uintptr_t)process) < 0) {
        address_space_clear(&process->space);
        free(process);
        return NULL;
    }
    (void)status; // without maps, addresses have no names
    if (parent) {
        process->is_attached = parent->is_attached;
        parent->has_forked = true;
        process->exe = parent->exe; // until it execs
        process->exec_kind = parent->exec_kind;
    } else {
        process->exe = tasks_read_exe(tasks, process->shown);
    }
    tasks->process_count++;
    RECORD(tasks->queue, RECORDING_PROCESS, RECORD_NUMBER(process->id), RECORD_NUMBER(pid),
           parent ? RECORD_NUMBER(parent->id) : RECORD_NULL, RECORD_TEXT(process->exe),
           RECORD_NUMBER(tasks_time(tasks, time)), RECORD_NULL, RECORD_TEXT(followed));
    return process;
}

static void tasks_find_name(const struct thread *thread, char *name, size_t size)
{
    // Not a byte more than fits: a name that fills it is followed by a newline.
    if (sysfile_head("", name, size, "/proc/%d/task/%d/comm", thread->process->pid, thread->tid) < 0)
        name[0] = '\0';
}

struct thread *tasks_add_thread(struct tasks *tasks, struct process *process, pid_t tid, uint64_t time, bool from_start,
                                const struct thread *creator)
{
    struct thread *thread = tasks_thread(tasks, tid);
    if (thread)
        return thread;
    thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    *thread = (struct thread){.id = tasks->thread_count + 1, .tid = tid, .process = process, .planned_cpu = -1,
                               .born_on = creator ? creator->born_on : -1, .seen = time};
    if (table_put(&tasks->threads, (uint64_t)tid, (uintptr_t)thread) < 0) {
        free(thread);
        return NULL;
    }
    tasks->thread_count++;
    process->threads++;
    if (creator && *creator->name)
        memcpy(thread->name, creator->name, sizeof thread->name);
    else
        tasks_find_name(thread, thread->name, sizeof thread->name);
    RECORD(tasks->queue, RECORDING_THREAD, RECORD_NUMBER(thread->id), RECORD_NUMBER(process->id), RECORD_NUMBER(tid),
           RECORD_TEXT(*thread->name ? thread->name : NULL), RECORD_NUMBER(tasks_time(tasks, time)), RECORD_NULL,
           RECORD_NUMBER(from_start), RECORD_TEXT("none"), RECORD_NULL, RECORD_NULL, RECORD_NULL, RECORD_NULL,
           RECORD_NULL);
    return thread;
}

void tasks_set_name(struct tasks *tasks, struct thread *thread, const char *name)
{
    if (strncmp(thread->name, name, sizeof thread->name) == 0)
        return;
    snprintf(thread->name, sizeof thread->name, "%s", name);
    RECORD(tasks->queue, RECORDING_THREAD_NAME, RECORD_NUMBER(thread->id), RECORD_TEXT(thread->name));
}

void tasks_set_pin(struct tasks *tasks, struct thread *thread, enum channel_pin pin, int planned_cpu,
                   const char *own_cpus)
{
    static const char *const words[] = {
        [CHANNEL_PIN_NONE] = "none",
        [CHANNEL_PIN_PLANNED] = "planned",
        [CHANNEL_PIN_PROGRAM] = "program",
        [CHANNEL_PIN_HELPER] = "helper",
    };
    thread->pin = pin;
    thread->planned_cpu = planned_cpu;
    RECORD(tasks->queue, RECORDING_THREAD_PIN, RECORD_NUMBER(thread->id), RECORD_TEXT(words[pin]),
           RECORD_KNOWN(planned_cpu), RECORD_TEXT(own_cpus));
}

void tasks_read_name(struct tasks *tasks, struct thread *thread)
{
    char name[sizeof thread->name];
    tasks_find_name(thread, name, sizeof name);
    if (*name)
        tasks_set_name(tasks, thread, name);
}

static void tasks_forget_memory(struct process *process)
{
    address_space_clear(&process->space);
    table_free(&process->fault_history);
    table_free(&process->fault_windows);
    table_free(&process->fault_regions);
    live_allocations_free(&process->heap);
    live_allocations_free(&process->mapped);
    process->forgets = process->forked = process->has_forked = process->is_attached = false;
}

void tasks_mark_late(struct tasks *tasks, const struct thread *thread)
{
    RECORD(tasks->queue, RECORDING_THREAD_LATE, RECORD_NUMBER(thread->id));
}

void tasks_set_exe(struct tasks *tasks, struct process *process, const char *path)
{
    const char *exe = path ? tasks_program(tasks, path) : tasks_read_exe(tasks, process->shown);
    if (!exe || exe == process->exe)
        return;
    process->exe = exe;
    RECORD(tasks->queue, RECORDING_PROCESS_EXE, RECORD_NUMBER(process->id), RECORD_TEXT(exe));
}

static bool tasks_maps(const struct process *process, uint64_t inode)
{
    for (size_t i = 0; i < process->space.count; i++)
        if (process->space.items[i].file_backed && process->space.items[i].inode == inode)
            return true;
    return false;
}

// A program that was renamed or removed has another name, and is still mapped.
bool tasks_runs_another(struct tasks *tasks, const struct process *process)
{
    char link[64];
    struct stat file;
    snprintf(link, sizeof link, "/proc/%d/exe", process->shown);
    if (stat(link, &file) < 0 || tasks_maps(process, file.st_ino))
        return false;
    const char *exe = tasks_read_exe(tasks, process->shown);
    return exe && exe != process->exe;
}

void tasks_exec(struct tasks *tasks, struct process *process)
{
    tasks_forget_memory(process);
    process->has_library = process->starts_others = false;
    process->exe = NULL;
    process->shown = process->pid;
    tasks_set_exe(tasks, process, NULL);
    RECORD(tasks->queue, RECORDING_PROCESS_FOLLOWED, RECORD_NUMBER(process->id), RECORD_TEXT("inherited"));
}

static void tasks_end_process(struct tasks *tasks, struct process *process, uint64_t time)
{
    table_remove(&tasks->processes, (uint64_t)process->pid);
    if (time)
        RECORD(tasks->queue, RECORDING_PROCESS_END, RECORD_NUMBER(process->id), RECORD_NUMBER(tasks_time(tasks, time)));
    tasks_forget_memory(process);
    free(process);
}

static pid_t tasks_any_thread(const struct tasks *tasks, const struct process *process)
{
    uint64_t tid, value;
    for (size_t at = 0; table_next(&tasks->threads, &at, &tid, &value);)
        if (((const struct thread *)(uintptr_t)value)->process == process)
            return (pid_t)tid;
    return process->pid;
}

#define TASKS_OLD_NS (1000 * CLOCK_MS)

// A reading of /proc that is old says little: a recorder that got no CPU read it last when the thread had hardly begun.
static bool tasks_knows_cpu_ns(const struct thread *thread, uint64_t end)
{
    return thread->knows_cpu_ns && end <= thread->cpu_ns_at + TASKS_OLD_NS;
}

void tasks_end_thread(struct tasks *tasks, struct thread *thread, uint64_t time)
{
    struct process *process = thread->process;
    const pid_t tid = thread->tid;
    table_remove(&tasks->threads, (uint64_t)tid);
    RECORD(tasks->queue, RECORDING_THREAD_END, RECORD_NUMBER(thread->id),
           time ? RECORD_NUMBER(tasks_time(tasks, time)) : RECORD_NULL,
           tasks_knows_cpu_ns(thread, time) ? RECORD_NUMBER(thread->cpu_ns) : RECORD_NULL,
           thread->knows_migrations ? RECORD_NUMBER(thread->migrations) : RECORD_NULL);
    if (thread->waited_ns > thread->waited_ns_before && thread->ran_ns >= thread->ran_ns_before)
        RECORD(tasks->queue, RECORDING_RUN_DELAY, RECORD_NUMBER(thread->id),
               RECORD_NUMBER(thread->waited_ns - thread->waited_ns_before),
               RECORD_NUMBER(thread->ran_ns - thread->ran_ns_before));
    if (thread->clock > 0)
        close(thread->clock);
    free(thread);
    if (process->shown == tid)
        process->shown = tasks_any_thread(tasks, process);
    if (--process->threads == 0)
        tasks_end_process(tasks, process, time);
}

void tasks_end_all(struct tasks *tasks)
{
    uint64_t key, value;
    for (size_t at = 0; table_next(&tasks->threads, &at, &key, &value); at = 0)
        tasks_end_thread(tasks, (struct thread *)(uintptr_t)value, 0);
    for (size_t at = 0; table_next(&tasks->processes, &at, &key, &value); at = 0)
        tasks_end_process(tasks, (struct process *)(uintptr_t)value, 0);
}

void tasks_free(struct tasks *tasks)
{
    tasks_end_all(tasks);
    table_free(&tasks->processes);
    table_free(&tasks->threads);
    table_free(&tasks->programs);
    intern_free(tasks->paths);
    tasks->paths = NULL;
}
