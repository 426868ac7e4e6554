// SPDX-License-Identifier: Apache-2.0
// What the preload library tells: threads and their places, choices of the program, the end of a process.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/sysfile.h"
#include "profiler/recorder/namespaces.h"
#include "profiler/recorder/session.h"

static pid_t messages_tid(const struct process *process, pid_t inner)
{
    if (inner == process->inner_pid)
        return process->pid;
    return process->other_namespace ? namespaces_outer_tid(process->pid, inner) : inner;
}

// NULL: there is none, or it has ended and what its number is here cannot be found out any more.
static struct thread *messages_thread(struct session *session, const struct channel_received *message, pid_t tid)
{
    if (tid <= 0)
        return NULL;
    if (!tasks_thread(&session->tasks, tid))
        session_drain_until(session, message->time_ns); // the kernel's record of its start is older than its message
    struct process *process = tasks_process_of_channel(&session->tasks, message->process);
    if (!process)
        return NULL; // its end was among the records
    // Where the kernel tells of every thread, one that it does not know is an invention.
    bool is_told = tasks_thread(&session->tasks, tid) || session->fault_source_count == 0;
    if (!is_told && syscall(SYS_tgkill, process->pid, tid, 0) < 0)
        return NULL;
    return tasks_add_thread(&session->tasks, process, tid, message->time_ns, true, NULL);
}

// NULL: the kernel's record of its end came before the library's message.
static struct thread *messages_ending_thread(struct session *session, const struct process *process,
                                             const struct channel_received *message)
{
    struct thread *thread = tasks_thread(&session->tasks, messages_tid(process, (pid_t)message->tid));
    if (thread)
        thread->left_slot = true;
    return thread;
}

// --- messages

static void messages_start(struct session *session, pid_t tid, const struct channel_received *message)
{
    struct thread *thread = messages_thread(session, message, tid);
    bool known_pin = message->a >= CHANNEL_PIN_NONE && message->a <= CHANNEL_PIN_HELPER;
    if (thread && known_pin)
        tasks_set_pin(&session->tasks, thread, (enum channel_pin)message->a, message->cpu,
                      *message->text ? message->text : NULL);
}

static void messages_affinity(struct session *session, const struct process *process, const struct channel_received *message)
{
    if (message->a == 0)
        return; // of a thread the library could not name: session_scan finds it
    struct thread *thread = messages_thread(session, message, messages_tid(process, (pid_t)message->a));
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
bool session_read_cpu_time(struct thread *thread)
{
    char text[128];
    int status = sysfile_text("", text, sizeof text, "/proc/%d/task/%d/schedstat", thread->process->pid, thread->tid);
    if (status > 0)
        messages_set_cpu_time(thread, strtoll(text, NULL, 10));
    return status > 0;
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
            session_read_cpu_time(other);
    }
    session_drain_until(session, message->time_ns);
    process = tasks_process_of_channel(&session->tasks, message->process);
    if (!process)
        return; // its end was among the records
    session_settle(session, process);
    if (!session->options->no_pages)
        pages_snapshot(&session->pages, process, clock_now(), "exit");
    // Without records of the kernel's nothing else tells of its end, which is near.
    for (size_t at = 0; session->fault_source_count == 0 && table_next(&session->tasks.threads, &at, &tid, &value);) {
        struct thread *other = (struct thread *)(uintptr_t)value;
        bool last = other->process == process && process->threads == 1;
        if (other->process == process) {
            session_end_thread(session, other, message->time_ns);
            at = 0; // the table has changed
        }
        if (last)
            break;
    }
}

// Keeps a message whose sender is not known yet. False: there is no room.
static bool messages_postpone(struct session *session, const struct channel_received *message)
{
    bool has_room = session->early_count < sizeof session->early / sizeof *session->early;
    if (has_room)
        session->early[session->early_count++] = *message;
    return has_room;
}

static void messages_handle(struct session *session, const struct channel_received *message)
{
    struct process *process = tasks_process_of_channel(&session->tasks, message->process);
    if (!process)
        return;
    switch (message->kind) {
    case CHANNEL_THREAD_START:
        messages_start(session, messages_tid(process, (pid_t)message->tid), message);
        break;
    case CHANNEL_THREAD_EXIT:
        messages_exit_thread(session, process, message);
        break;
    case CHANNEL_MAIN_PINNED: {
        struct thread *thread = messages_thread(session, message, messages_tid(process, (pid_t)message->tid));
        if (thread) {
            session_forget_migrations(thread);
            tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PLANNED, message->cpu, NULL);
        }
        break;
    }
    case CHANNEL_AFFINITY:
        messages_affinity(session, process, message);
        break;
    case CHANNEL_EXEC:
        session_announced(session, process, message);
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
    struct thread_starts_arrival arrival;
    while (session->greeter.runs && thread_starts_take(&session->greeter, &arrival)) {
        struct process *process = tasks_process_of_channel(&session->tasks, arrival.message.process);
        struct thread *thread = NULL;
        if (process) {
            // Where many threads start at once, the kernel's record of one may be lost, and it has ended by now.
            if (!messages_thread(session, &arrival.message, arrival.tid) && arrival.was_there)
                tasks_add_thread(&session->tasks, process, arrival.tid, arrival.message.time_ns, true, NULL);
            messages_start(session, arrival.tid, &arrival.message);
            thread = tasks_thread(&session->tasks, arrival.tid);
        }
        if (thread)
            thread->counters_refused = !arrival.counters;
        if (arrival.counters && thread)
            session_attach_counters(session, thread, arrival.counters);
        else if (arrival.counters)
            counters_close(arrival.counters);
    }
}

// All that were sent before the last of them are among them: what a scan passed by, the next one finds.
static size_t messages_take(struct session *session, struct channel_received *messages, size_t max)
{
    size_t count = session->early_count, more = 1;
    memcpy(messages, session->early, count * sizeof *messages);
    session->early_count = 0;
    while (more > 0 && count < max) {
        more = channel_server_receive(&session->channel, false, messages + count, max - count);
        count += more;
    }
    channel_server_sort(messages, count);
    return count;
}

size_t session_messages(struct session *session)
{
    enum { AT_ONCE = 256, CONNECTIONS = 32 };
    struct channel_received messages[AT_ONCE];
    struct channel_connection connections[CONNECTIONS];
    size_t count = 0, met = 0, all = 0;
    bool more = false;
    messages_arrivals(session);
    do {
        if (!session->has_channel)
            return 0;
        count = messages_take(session, messages, AT_ONCE);
        // Second: a sender has always connected before it sends.
        met = session_accept(session, connections, CONNECTIONS, &more);
        for (size_t i = 0, j = 0; i < count || j < met;) {
            if (j < met && (i == count || connections[j].hello.time_ns <= messages[i].time_ns)) {
                session_connect(session, &connections[j++]);
            } else {
                const struct channel_received *message = &messages[i++];
                bool is_early = more && !tasks_process_of_channel(&session->tasks, message->process);
                if (is_early && messages_postpone(session, message))
                    continue;
                messages_handle(session, message);
                channel_server_answer(message);
            }
        }
        all += count + met;
    } while (!more && (count == AT_ONCE || met == CONNECTIONS));
    return all;
}
