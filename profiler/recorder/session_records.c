// SPDX-License-Identifier: Apache-2.0
// What the kernel's records mean for the session: threads come and go, files are mapped, pages fault.
#include <string.h>

#include "profiler/recorder/session.h"

// Frames that the kernel's walk by frame pointers found, without its marks between kernel and user. Code that keeps data
// in that register ends it: what is no code is no frame.
static size_t records_chain(const struct process *process, const struct perf_sample *sample, uint64_t *addresses,
                            size_t max, bool *truncated)
{
    size_t count = 0;
    for (uint64_t i = 0; i < sample->chain_count; i++) {
        if (sample->chain[i] >= PERF_CONTEXT_MAX && sample->chain[i] != UINT64_MAX)
            continue;
        const struct mapping *mapping = count > 0 ? address_space_find(&process->space, sample->chain[i]) : NULL;
        if (count > 0 && !(mapping && mapping->executable))
            break;
        if (count == max) {
            *truncated = true;
            break;
        }
        addresses[count++] = sample->chain[i];
    }
    return count;
}

// Frame pointers go on where the copied stack ended, in programs that have them. Returns how many frames there are now.
static size_t records_go_on(const struct process *process, const struct perf_sample *sample, uint64_t *addresses,
                            size_t count, size_t max)
{
    uint64_t chain[CALL_STACKS_MAX_DEPTH];
    bool chain_truncated = false;
    size_t chain_count = records_chain(process, sample, chain, CALL_STACKS_MAX_DEPTH, &chain_truncated);
    for (size_t i = 0; i < chain_count; i++) {
        if (chain[i] != addresses[count - 1])
            continue;
        size_t more = chain_count - i - 1 < max - count ? chain_count - i - 1 : max - count;
        memcpy(addresses + count, chain + i + 1, more * sizeof *addresses);
        return count + more;
    }
    return count;
}

// A thread's stack (and its thread-local variables, behind it) is an anonymous mapping like many others: what tells it
// is a stack pointer near its end.
static void records_mark_stack(const struct process *process, const struct perf_sample *sample)
{
    enum { NEAR_BYTES = 256 << 10 };
    uint64_t pointer = unwind_stack_pointer(sample);
    struct mapping *mapping = pointer ? address_space_find(&process->space, pointer) : NULL;
    if (mapping && mapping->kind == MAPPING_ANONYMOUS && mapping->end - pointer < NEAR_BYTES && mapping->block == 0)
        mapping->is_thread_stack = true;
}

// What the kernel was asked for begins in it: a read() that touches the pages it fills, say.
static size_t records_put_kernel(const struct perf_sample *sample, uint64_t *addresses, size_t count, size_t max)
{
    if (!sample->in_kernel)
        return count;
    count = count < max ? count : max - 1;
    memmove(addresses + 1, addresses, count * sizeof *addresses);
    addresses[0] = sample->ip;
    return count + 1;
}

int64_t session_stack(struct session *session, const struct process *process, const struct perf_sample *sample)
{
    uint64_t addresses[CALL_STACKS_MAX_DEPTH];
    bool truncated = false;
    records_mark_stack(process, sample);
    size_t count = unwind_walk(session->unwind, process, sample, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    if (count == 0)
        count = records_chain(process, sample, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    else if (truncated)
        count = records_go_on(process, sample, addresses, count, CALL_STACKS_MAX_DEPTH);
    count = records_put_kernel(sample, addresses, count, CALL_STACKS_MAX_DEPTH);
    uint64_t key = table_mix((uint64_t)process->id, process->space.code);
    return call_stacks_intern(&session->stacks, &process->space, key, addresses, count, truncated);
}

static void records_sample(struct faults_source *source, struct session *session,
                           const struct perf_event_header *header)
{
    struct perf_sample sample;
    if (perf_record_sample(header, &source->stream.layout, &sample) < 0) {
        session->losses.malformed++;
        return;
    }
    if (faults_is_double(source, &sample))
        return;
    struct thread *thread = tasks_thread(&session->tasks, (pid_t)sample.tid);
    if (!thread) {
        session->losses.unknown_threads++;
        return;
    }
    faults_take(source, &sample, thread, session_stack(session, thread->process, &sample));
}

static void records_mmap(struct session *session, const struct perf_event_header *header, uint64_t time)
{
    struct perf_mmap mmap;
    if (perf_record_mmap2(header, &mmap) < 0) {
        session->losses.malformed++;
        return;
    }
    struct process *process = tasks_process(&session->tasks, (pid_t)mmap.pid);
    if (!process)
        return;
    address_space_add_mmap(&process->space, &session->tasks.paths, &mmap);
    const struct mapping *mapping = address_space_find(&process->space, mmap.address);
    if (!mapping || !mapping->executable || *mapping->path != '/')
        return;
    if (!process->exe) // it is gone already; the kernel maps the program first, then its loader
        tasks_set_exe(&session->tasks, process, mapping->path);
    program_files_see(session->files, process->pid, mapping->path, time);
}

static void records_comm(struct session *session, const struct perf_event_header *header)
{
    struct perf_comm comm;
    if (perf_record_comm(header, &comm) < 0) {
        session->losses.malformed++;
        return;
    }
    struct thread *thread = tasks_thread(&session->tasks, (pid_t)comm.tid);
    if (!thread)
        return;
    if (comm.exec) {
        session_outside_release(session, thread);
        session_settle(session, thread->process);
        unwind_forget(session->unwind, thread->process->id);
        objects_forget_unnamed(&session->objects, thread->process);
        session_close_blocks(session, thread->process);
        tasks_exec(&session->tasks, thread->process);
        session_executed(session, thread->process);
    }
    tasks_set_name(&session->tasks, thread, comm.name);
}

static void records_fork(struct session *session, const struct perf_task *task, uint64_t time)
{
    struct tasks *tasks = &session->tasks;
    struct process *parent = tasks_process(tasks, (pid_t)task->parent_pid);
    struct process *process = tasks_process(tasks, (pid_t)task->pid);
    struct thread *thread = NULL;
    if (!process && parent) {
        session_settle(session, NULL); // what the parent touched before is shared from here on
        process = tasks_add_process(tasks, (pid_t)task->pid, parent, time, "inherited");
        if (process)
            objects_inherit(&session->objects, process, parent);
    }
    if (process)
        thread = tasks_add_thread(tasks, process, (pid_t)task->tid, time, true,
                                  tasks_thread(tasks, (pid_t)task->parent_tid)); // the kernel tells of every new name
    if (thread && process == parent)
        session_outside_thread(session, process, thread);
    else if (thread && parent && session_is_outside(parent))
        session_outside_child(session, parent, thread);
}

void session_end_thread(struct session *session, struct thread *thread, uint64_t time)
{
    if (thread->process->threads == 1) {
        session_settle(session, thread->process);
        unwind_forget(session->unwind, thread->process->id);
        session_close_blocks(session, thread->process);
    }
    session_end_counters(session, thread, time);
    if (thread->pin == CHANNEL_PIN_PLANNED && !thread->left_slot && session->has_channel)
        channel_server_free_slot(&session->channel, thread->planned_cpu); // it was killed
    tasks_end_thread(&session->tasks, thread, time);
}

static void records_exit(struct session *session, const struct perf_task *task, uint64_t time)
{
    struct thread *thread = tasks_thread(&session->tasks, (pid_t)task->tid);
    if (thread)
        session_end_thread(session, thread, time);
}

static void records_task(struct session *session, const struct perf_event_header *header, uint64_t time)
{
    struct perf_task task;
    if (perf_record_task(header, &task) < 0)
        session->losses.malformed++;
    else if (header->type == PERF_RECORD_FORK)
        records_fork(session, &task, time);
    else
        records_exit(session, &task, time);
}

static void records_lost(struct faults_source *source, struct session *session, const struct perf_event_header *header)
{
    uint64_t lost = 0;
    perf_record_lost(header, &lost);
    faults_downsample_lost(source);
    if (header->type == PERF_RECORD_LOST)
        session->losses.records += lost;
    else
        session->losses.samples += lost;
}

void session_fault_record(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    struct faults_source *source = (struct faults_source *)stream; // the stream is its first member
    struct session *session = stream->owner;
    switch (header->type) {
    case PERF_RECORD_SAMPLE:
        records_sample(source, session, header);
        break;
    case PERF_RECORD_MMAP2:
        records_mmap(session, header, time);
        break;
    case PERF_RECORD_COMM:
        records_comm(session, header);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        records_task(session, header, time);
        break;
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        records_lost(source, session, header);
        break;
    case PERF_RECORD_THROTTLE:
        session->losses.throttled++;
        break;
    default:
        break;
    }
}
