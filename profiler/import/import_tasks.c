// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/import_tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *import_tasks_get(const struct table *table, uint32_t number)
{
    uint64_t value;
    return table_get(table, number, &value) ? (void *)(uintptr_t)value : NULL;
}

static struct import_process *import_tasks_process(struct import_tasks *tasks, uint32_t pid)
{
    struct import_process *process = import_tasks_get(&tasks->processes, pid);
    if (process)
        return process;
    process = tasks->processes.used < IMPORT_TASKS_PROCESSES ? calloc(1, sizeof *process) : NULL;
    if (!process || table_put(&tasks->processes, pid, (uintptr_t)process) < 0) {
        tasks->refused++;
        free(process);
        return NULL;
    }
    process->process.pid = process->process.space.pid = (pid_t)pid;
    return process;
}

static struct import_thread *import_tasks_thread(struct import_tasks *tasks, uint32_t pid, uint32_t tid)
{
    struct import_thread *thread = import_tasks_get(&tasks->threads, tid);
    if (thread)
        return thread;
    struct import_process *process = import_tasks_process(tasks, pid);
    thread = process && tasks->threads.used < IMPORT_TASKS_THREADS ? calloc(1, sizeof *thread) : NULL;
    if (!thread || table_put(&tasks->threads, tid, (uintptr_t)thread) < 0) {
        tasks->refused++;
        free(thread);
        return NULL;
    }
    thread->tid = (pid_t)tid;
    thread->process = process;
    process->threads++;
    return thread;
}

// --- records

void import_tasks_mmap(struct import_tasks *tasks, const struct perf_mmap *mmap)
{
    if (mmap->pid == UINT32_MAX)
        return; // the kernel's own
    struct import_process *process = import_tasks_process(tasks, mmap->pid);
    if (!process)
        return;
    if (((mmap->address | mmap->bytes) & 4095) == 0) // code that perf inject --jit adds begins anywhere
        tasks->whole_pages |= mmap->address | mmap->bytes;
    struct address_space *space = &process->process.space;
    if (space->count >= IMPORT_TASKS_MAPPINGS) {
        tasks->refused++;
        return;
    }
    address_space_add_mmap(space, &tasks->tasks->paths, mmap);
    const struct mapping *mapping = address_space_find(space, mmap->address);
    if (!mapping)
        return;
    tasks->data_mappings += !mapping->executable;
    if (*mapping->path != '/')
        return;
    tasks->see(tasks->context, mmap, mapping->path);
    if (!mapping->executable || process->process.exe)
        return;
    process->process.exe = mapping->path; // the kernel maps the program first, then its loader
    table_put(&tasks->tasks->programs, (uintptr_t)mapping->path, 1);
    if (process->process.id != 0)
        RECORD(tasks->tasks->queue, RECORDING_PROCESS_EXE, RECORD_NUMBER(process->process.id),
               RECORD_TEXT(mapping->path));
}

void import_tasks_comm(struct import_tasks *tasks, const struct perf_comm *comm, uint64_t time)
{
    struct import_thread *thread = import_tasks_thread(tasks, comm->pid, comm->tid);
    if (!thread)
        return;
    if (comm->exec) { // a new program, with a new address space
        struct process *process = &thread->process->process;
        address_space_clear(&process->space);
        process->exe = NULL;
        process->forked = process->has_forked = false;
        thread->process->from_start = true;
        thread->from_start = true;
        thread->start = thread->start == 0 ? time : thread->start;
    }
    if (strncmp(thread->name, comm->name, sizeof thread->name) == 0)
        return;
    snprintf(thread->name, sizeof thread->name, "%s", comm->name);
    if (thread->id != 0)
        RECORD(tasks->tasks->queue, RECORDING_THREAD_NAME, RECORD_NUMBER(thread->id), RECORD_TEXT(thread->name));
}

static void import_tasks_fork_process(struct import_tasks *tasks, struct import_process *child, uint32_t parent_pid)
{
    struct import_process *parent = import_tasks_get(&tasks->processes, parent_pid);
    if (!parent || parent == child)
        return;
    child->parent_pid = parent_pid;
    child->process.exe = parent->process.exe; // until it execs
    child->process.forked = parent->process.has_forked = true;
    address_space_copy(&child->process.space, &parent->process.space);
}

void import_tasks_fork(struct import_tasks *tasks, const struct perf_task *task, uint64_t time)
{
    const bool is_new = !import_tasks_get(&tasks->processes, task->pid);
    struct import_thread *thread = import_tasks_thread(tasks, task->pid, task->tid);
    if (!thread)
        return;
    const struct import_thread *creator = import_tasks_get(&tasks->threads, task->parent_tid);
    thread->start = time;
    thread->from_start = time != 0; // perf synthesises records without a time for threads that run already
    if (creator && *thread->name == '\0')
        memcpy(thread->name, creator->name, sizeof thread->name);
    if (is_new && task->pid != task->parent_pid)
        import_tasks_fork_process(tasks, thread->process, task->parent_pid);
}

static struct import_program import_tasks_larger(struct import_program one, const struct import_process *other)
{
    if (other->samples <= one.samples)
        return one;
    return (struct import_program){.pid = other->process.pid, .exe = other->process.exe, .samples = other->samples};
}

static void import_tasks_end_process(struct import_tasks *tasks, struct import_process *process, uint64_t time)
{
    tasks->main = import_tasks_larger(tasks->main, process);
    table_remove(&tasks->processes, (uint32_t)process->process.pid);
    if (process->process.id != 0 && time != 0)
        RECORD(tasks->tasks->queue, RECORDING_PROCESS_END, RECORD_NUMBER(process->process.id),
               RECORD_NUMBER(tasks_time(tasks->tasks, time)));
    address_space_clear(&process->process.space);
    free(process);
}

static void import_tasks_end(struct import_tasks *tasks, struct import_thread *thread, uint64_t time)
{
    struct import_process *process = thread->process;
    table_remove(&tasks->threads, (uint32_t)thread->tid);
    if (thread->id != 0 && time != 0)
        RECORD(tasks->tasks->queue, RECORDING_THREAD_END, RECORD_NUMBER(thread->id),
               RECORD_NUMBER(tasks_time(tasks->tasks, time)), RECORD_NULL, RECORD_NULL);
    free(thread);
    if (--process->threads == 0)
        import_tasks_end_process(tasks, process, time);
}

void import_tasks_exit(struct import_tasks *tasks, const struct perf_task *task, uint64_t time)
{
    struct import_thread *thread = import_tasks_get(&tasks->threads, task->tid);
    if (thread)
        import_tasks_end(tasks, thread, time);
}

// --- samples

static void import_tasks_write_process(struct import_tasks *tasks, struct import_process *process, uint64_t start)
{
    const struct process *known = &process->process;
    const struct import_process *parent =
        process->parent_pid ? import_tasks_get(&tasks->processes, process->parent_pid) : NULL;
    process->process.id = ++tasks->process_count;
    RECORD(tasks->tasks->queue, RECORDING_PROCESS, RECORD_NUMBER(known->id), RECORD_NUMBER(known->pid),
           parent && parent->process.id != 0 ? RECORD_NUMBER(parent->process.id) : RECORD_NULL,
           RECORD_TEXT(known->exe), RECORD_NUMBER(tasks_time(tasks->tasks, start)), RECORD_NULL,
           RECORD_TEXT("imported"));
}

static void import_tasks_write_thread(struct import_tasks *tasks, struct import_thread *thread)
{
    if (thread->process->process.id == 0)
        import_tasks_write_process(tasks, thread->process, thread->start);
    thread->id = ++tasks->thread_count;
    RECORD(tasks->tasks->queue, RECORDING_THREAD, RECORD_NUMBER(thread->id), RECORD_NUMBER(thread->process->process.id),
           RECORD_NUMBER(thread->tid), RECORD_TEXT(*thread->name ? thread->name : NULL),
           RECORD_NUMBER(tasks_time(tasks->tasks, thread->start)), RECORD_NULL, RECORD_NUMBER(thread->from_start),
           RECORD_TEXT("none"), RECORD_NULL, RECORD_NULL, RECORD_NULL, RECORD_NULL, RECORD_NULL);
}

struct import_thread *import_tasks_of_sample(struct import_tasks *tasks, uint32_t pid, uint32_t tid, uint64_t time)
{
    struct import_thread *thread = import_tasks_thread(tasks, pid, tid);
    if (!thread)
        return NULL;
    if (thread->id == 0) {
        thread->start = thread->from_start ? thread->start : time;
        import_tasks_write_thread(tasks, thread);
    }
    thread->process->samples++;
    return thread;
}

struct import_program import_tasks_main(const struct import_tasks *tasks)
{
    struct import_program found = tasks->main;
    uint64_t pid, value;
    for (size_t at = 0; table_next(&tasks->processes, &at, &pid, &value);)
        found = import_tasks_larger(found, (const struct import_process *)(uintptr_t)value);
    return found;
}

static bool import_tasks_holds(const struct mapping *mapping, const char *path, uint64_t start, uint64_t place)
{
    return mapping->executable && place >= start && place - start < mapping->end - mapping->start &&
           (!*path || strcmp(mapping->path, path) == 0);
}

uint64_t import_tasks_address(const struct import_tasks *tasks, uint32_t tid, const char *path, uint64_t place)
{
    const struct import_thread *thread = import_tasks_get(&tasks->threads, tid);
    if (!thread)
        return 0;
    const struct address_space *space = &thread->process->process.space;
    for (const struct mapping *mapping = space->items; *path && mapping < space->items + space->count; mapping++)
        if (import_tasks_holds(mapping, path, mapping->file_offset, place))
            return mapping->start + (place - mapping->file_offset);
    const struct mapping *mapping = address_space_find(space, place);
    return mapping && import_tasks_holds(mapping, path, mapping->start, place) ? place : 0;
}

void import_tasks_free(struct import_tasks *tasks)
{
    uint64_t key, value;
    for (size_t at = 0; table_next(&tasks->threads, &at, &key, &value);)
        free((struct import_thread *)(uintptr_t)value);
    for (size_t at = 0; table_next(&tasks->processes, &at, &key, &value);) {
        struct import_process *process = (struct import_process *)(uintptr_t)value;
        address_space_clear(&process->process.space);
        free(process);
    }
    table_free(&tasks->threads);
    table_free(&tasks->processes);
}
