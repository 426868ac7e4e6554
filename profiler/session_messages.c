// SPDX-License-Identifier: Apache-2.0
// What the preload library tells: threads and their places, choices of the program, the end of a process.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sysfile.h"
#include "profiler/clock.h"
#include "profiler/namespaces.h"
#include "profiler/session.h"

static pid_t messages_tid(const struct process *process, pid_t inner)
{
    return process->other_namespace ? namespaces_outer_tid(process->pid, inner) : inner;
}

static struct thread *messages_thread(struct session *session, struct process *process, pid_t inner, uint64_t time)
{
    pid_t tid = messages_tid(process, inner);
    struct thread *thread = tasks_thread(&session->tasks, tid);
    return thread ? thread : tasks_add_thread(&session->tasks, process, tid, time, true);
}

// NULL: the kernel's record of its end came before the library's message.
static struct thread *messages_ending_thread(struct session *session, const struct process *process,
                                             const struct channel_received *message)
{
    struct thread *thread = tasks_thread(&session->tasks, messages_tid(process, (pid_t)message->tid));
    if (thread)
        thread->left_place = true;
    return thread;
}

// --- messages

static void messages_start(struct session *session, struct process *process, const struct channel_received *message)
{
    struct thread *thread = messages_thread(session, process, (pid_t)message->tid, message->time_ns);
    bool known_pin = message->a >= CHANNEL_PIN_NONE && message->a <= CHANNEL_PIN_HELPER;
    if (thread && known_pin)
        tasks_set_pin(&session->tasks, thread, (enum channel_pin)message->a, message->cpu, NULL);
}

static void messages_affinity(struct session *session, struct process *process, const struct channel_received *message)
{
    if (message->a == 0)
        return; // of a thread the library could not name: session_scan finds it
    struct thread *thread = messages_thread(session, process, (pid_t)message->a, message->time_ns);
    if (thread)
        tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PROGRAM, thread->planned_cpu, message->text);
}

// Where a thread is counted, its own clock says how long it ran while it was.
static void messages_set_cpu_time(struct thread *thread, int64_t ns)
{
    if (thread->counters || ns < 0)
        return;
    thread->cpu_ns = (uint64_t)ns;
    thread->knows_cpu_ns = true;
}

// The first field of /proc/PID/task/TID/schedstat is the time on a CPU in ns (Documentation/scheduler/sched-stats.rst).
static void messages_read_cpu_time(struct thread *thread)
{
    char text[128];
    int status = sysfile_text("", text, sizeof text, "/proc/%d/task/%d/schedstat", thread->process->pid, thread->tid);
    if (status > 0)
        messages_set_cpu_time(thread, strtoll(text, NULL, 10));
}

// Without records of the kernel's, the library is the only one who tells.
static void messages_exit_thread(struct session *session, struct process *process,
                                 const struct channel_received *message)
{
    struct thread *thread = messages_ending_thread(session, process, message);
    if (thread)
        messages_set_cpu_time(thread, message->a);
    if (thread && session->fault_source_count == 0 && process->threads > 1)
        tasks_end_thread(&session->tasks, thread, message->time_ns);
}

static void messages_exit_process(struct session *session, struct process *process,
                                  const struct channel_received *message)
{
    uint64_t tid, value;
    messages_ending_thread(session, process, message);
    for (size_t at = 0; table_next(&session->tasks.threads, &at, &tid, &value);) {
        struct thread *other = (struct thread *)(uintptr_t)value;
        if (other->process == process)
            messages_read_cpu_time(other);
    }
    session_drain_until(session, message->time_ns);
    session_settle(session, process);
    if (!session->options->no_pages)
        pages_snapshot(&session->pages, process, clock_now(), "exit");
}

static void messages_handle(struct session *session, const struct channel_received *message)
{
    struct process *process = tasks_process_of_channel(&session->tasks, message->process);
    if (!process)
        return;
    switch (message->kind) {
    case CHANNEL_THREAD_START:
        messages_start(session, process, message);
        break;
    case CHANNEL_THREAD_EXIT:
        messages_exit_thread(session, process, message);
        break;
    case CHANNEL_MAIN_PINNED: {
        struct thread *thread = messages_thread(session, process, (pid_t)message->tid, message->time_ns);
        if (thread) {
            session_forget_migrations(thread);
            tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PLANNED, message->cpu, NULL);
        }
        break;
    }
    case CHANNEL_AFFINITY:
        messages_affinity(session, process, message);
        break;
    case CHANNEL_REGION:
        session_switch(session, message->a == 1, "mark");
        break;
    case CHANNEL_PROCESS_EXIT:
        messages_exit_process(session, process, message);
        break;
    default:
        break;
    }
}

// Threads that were answered when they started: their events are open.
static void messages_arrivals(struct session *session)
{
    struct greeter_arrival arrival;
    while (session->greeter.runs && greeter_take(&session->greeter, &arrival)) {
        struct process *process = tasks_process_of_channel(&session->tasks, arrival.message.process);
        struct thread *thread = NULL;
        if (process) {
            messages_start(session, process, &arrival.message);
            thread = tasks_thread(&session->tasks, arrival.tid);
        }
        if (arrival.counters && thread)
            session_attach_counters(session, thread, arrival.counters);
        else if (arrival.counters)
            counters_close(arrival.counters);
    }
}

void session_messages(struct session *session)
{
    messages_arrivals(session);
    struct channel_received messages[64];
    size_t count;
    while (session->has_channel && (count = channel_server_receive(&session->channel, false, messages, 64)) > 0) {
        for (size_t i = 0; i < count; i++) {
            messages_handle(session, &messages[i]);
            channel_server_answer(&messages[i]);
        }
    }
}

// --- connections

void session_connect(struct session *session)
{
    struct channel_connection connection;
    int status;
    while ((status = channel_server_accept(&session->channel, &connection)) != -EAGAIN) {
        if (status < 0)
            continue;
        session_drain(session); // its fork and exec are known before it is
        struct process *process = tasks_process(&session->tasks, connection.pid);
        if (!process)
            process = tasks_add_process(&session->tasks, connection.pid, NULL, clock_now(), "preload");
        if (process) {
            process->channel = connection.hello.process;
            process->other_namespace = connection.hello.pid != (uint32_t)connection.pid;
            RECORD(session->queue, RECORDING_PROCESS_FOLLOWED, RECORD_NUMBER(process->id), RECORD_TEXT("preload"));
            struct thread *thread =
                tasks_add_thread(&session->tasks, process, connection.pid, clock_now(), true);
            session->own_allocators += connection.hello.own_allocator != 0;
            if (connection.ring >= 0)
                session_open_blocks(session, process, connection.ring);
            if (process->other_namespace && session->greeter.runs)
                greeter_introduce(&session->greeter, process->channel, process->pid);
            if (thread)
                session_count_thread(session, thread);
        }
        if (connection.ring >= 0)
            close(connection.ring);
        channel_server_welcome(&session->channel, &connection);
    }
}

// --- what nobody tells

// A planned thread whose mask is another one by now was moved by somebody's choice.
static void scan_pin(struct session *session, struct thread *thread)
{
    struct cpulist mask = {0};
    long bytes = syscall(SYS_sched_getaffinity, thread->tid, sizeof mask.bits, mask.bits);
    if (bytes < 0 || thread->pin != CHANNEL_PIN_PLANNED)
        return;
    if (cpulist_count(&mask) == 1 && cpulist_has(&mask, thread->planned_cpu))
        return;
    char list[512];
    tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PROGRAM, thread->planned_cpu,
                  cpulist_format(list, sizeof list, &mask));
}

void session_scan(struct session *session, uint64_t now)
{
    uint64_t tid, value;
    session->scanned_at = now;
    for (size_t at = 0; table_next(&session->tasks.threads, &at, &tid, &value);) {
        scan_pin(session, (struct thread *)(uintptr_t)value);
        messages_read_cpu_time((struct thread *)(uintptr_t)value);
    }
}
