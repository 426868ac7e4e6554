// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/messages.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "collectors/processes/namespaces.h"
#include "collectors/processes/thread_time.h"
#include "profiler/launch/output_name.h"

static pid_t messages_tid(const struct process *process, pid_t inner)
{
    if (inner == process->inner_pid)
        return process->pid;
    return process->other_namespace ? namespaces_outer_tid(process->pid, inner) : inner;
}

// NULL: there is none, or it has ended and what its number is here cannot be found out any more.
static struct thread *messages_thread(struct messages *messages, const struct channel_received *message, pid_t tid)
{
    const struct targets *targets = messages->connections.targets;
    if (tid <= 0)
        return NULL;
    if (!tasks_thread(targets->tasks, tid))
        // The kernel's record of its start is older than its message.
        perf_streams_drain(messages->connections.streams, message->time_ns);
    struct process *process = tasks_process_of_channel(targets->tasks, message->process);
    if (!process)
        return NULL; // its end was among the records
    // Where the kernel tells of every thread, one that it does not know is an invention.
    bool is_told = tasks_thread(targets->tasks, tid) || !targets->tasks->has_kernel_records;
    if (!is_told && syscall(SYS_tgkill, process->pid, tid, 0) < 0)
        return NULL;
    return tasks_add_thread(targets->tasks, process, tid, message->time_ns, true, NULL);
}

// NULL: the kernel's record of its end came before the library's message.
static struct thread *messages_ending_thread(struct messages *messages, const struct process *process,
                                             const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    struct thread *thread = tasks_thread(targets->tasks, messages_tid(process, (pid_t)message->tid));
    if (thread)
        thread->left_slot = true;
    return thread;
}

// --- messages

static void messages_start(struct messages *messages, pid_t tid, const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    struct thread *thread = messages_thread(messages, message, tid);
    bool known_pin = message->a >= CHANNEL_PIN_NONE && message->a <= CHANNEL_PIN_HELPER;
    if (thread && known_pin)
        tasks_set_pin(targets->tasks, thread, (enum channel_pin)message->a, message->cpu,
                      *message->text ? message->text : NULL);
}

static void messages_affinity(struct messages *messages, const struct process *process,
                              const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    if (message->a == 0)
        return; // of a thread the library could not name: proc_scan finds it
    struct thread *thread = messages_thread(messages, message, messages_tid(process, (pid_t)message->a));
    if (thread)
        tasks_set_pin(targets->tasks, thread, CHANNEL_PIN_PROGRAM, thread->planned_cpu, message->text);
}

// Without records of the kernel's, the library is the only one who tells.
static void messages_exit_thread(struct messages *messages, struct process *process,
                                 const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    struct thread *thread = messages_ending_thread(messages, process, message);
    if (thread)
        thread_time_set(thread, message->a);
    if (thread && !targets->tasks->has_kernel_records && process->threads > 1)
        tasks_end_thread(targets->tasks, thread, message->time_ns);
}

static void messages_exit_process(struct messages *messages, struct process *process,
                                  const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    uint64_t tid, value;
    messages_ending_thread(messages, process, message);
    for (size_t at = 0; table_next(&targets->tasks->threads, &at, &tid, &value);) {
        struct thread *other = (struct thread *)(uintptr_t)value;
        if (other->process == process)
            thread_time_read(other);
    }
    perf_streams_drain(messages->connections.streams, message->time_ns);
    process = tasks_process_of_channel(targets->tasks, message->process);
    if (!process)
        return; // its end was among the records
    targets_classify(targets, process);
    if (messages->pages)
        pages_snapshot(messages->pages, process, clock_now(), "exit");
    if (!targets->tasks->has_kernel_records) // nothing else reports its end, which is near
        targets_end_process(targets, process, message->time_ns);
}

static void messages_exec(struct messages *messages, struct process *sender, const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    const pid_t tid =
        sender->other_namespace ? namespaces_outer_tid(sender->pid, (pid_t)message->tid) : (pid_t)message->tid;
    // After vfork the child sends as its parent; its fork is in the kernel's records. So may be the sender's end.
    perf_streams_drain(messages->connections.streams, message->time_ns);
    const struct thread *thread = tasks_thread(targets->tasks, tid);
    struct process *process = thread ? thread->process : tasks_process_of_channel(targets->tasks, message->process);
    if (process)
        programs_announce(&targets->programs, process, (int)message->a, message->text);
}

// Keeps a message whose sender is not known yet. False: there is no room.
static bool messages_postpone(struct messages *messages, const struct channel_received *message)
{
    bool has_room = messages->early_count < sizeof messages->early / sizeof *messages->early;
    if (has_room)
        messages->early[messages->early_count++] = *message;
    return has_room;
}

static void messages_handle(struct messages *messages, const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    struct process *process = tasks_process_of_channel(targets->tasks, message->process);
    if (!process)
        return;
    switch (message->kind) {
    case CHANNEL_THREAD_START:
        messages_start(messages, messages_tid(process, (pid_t)message->tid), message);
        break;
    case CHANNEL_THREAD_EXIT:
        messages_exit_thread(messages, process, message);
        break;
    case CHANNEL_MAIN_PINNED: {
        struct thread *thread = messages_thread(messages, message, messages_tid(process, (pid_t)message->tid));
        if (thread) {
            counter_sets_forget_migrations(thread);
            tasks_set_pin(targets->tasks, thread, CHANNEL_PIN_PLANNED, message->cpu, NULL);
        }
        break;
    }
    case CHANNEL_AFFINITY:
        messages_affinity(messages, process, message);
        break;
    case CHANNEL_EXEC:
        messages_exec(messages, process, message);
        break;
    case CHANNEL_REGION:
        windows_switch(messages->windows, message->a == 1, "mark");
        break;
    case CHANNEL_PROCESS_EXIT:
        messages_exit_process(messages, process, message);
        break;
    default:
        break;
    }
}

// Threads that were answered when they started: their events are open.
static void messages_arrivals(struct messages *messages)
{
    const struct targets *targets = messages->connections.targets;
    struct thread_starts_arrival arrival;
    while (thread_starts_take(messages->connections.starts, &arrival)) {
        struct process *process = tasks_process_of_channel(targets->tasks, arrival.message.process);
        struct thread *thread = NULL;
        if (process) {
            // Where many threads start at once, the kernel's record of one may be lost, and it has ended by now.
            if (!messages_thread(messages, &arrival.message, arrival.tid) && arrival.was_there)
                tasks_add_thread(targets->tasks, process, arrival.tid, arrival.message.time_ns, true, NULL);
            messages_start(messages, arrival.tid, &arrival.message);
            thread = tasks_thread(targets->tasks, arrival.tid);
        }
        if (thread)
            thread->counters_refused = !arrival.counters;
        if (arrival.counters && thread)
            counter_sets_give(targets->sets, thread, arrival.counters);
        else if (arrival.counters)
            counters_close(arrival.counters);
    }
}

// All that were sent before the last of them are among them: what a scan passed by, the next one finds.
static size_t messages_receive(struct messages *messages, struct channel_received *taken, size_t max)
{
    size_t count = messages->early_count, more = 1;
    memcpy(taken, messages->early, count * sizeof *taken);
    messages->early_count = 0;
    while (more > 0 && count < max) {
        more = channel_server_receive(messages->connections.channel, false, taken + count, max - count);
        count += more;
    }
    channel_server_sort(taken, count);
    return count;
}

size_t messages_take(struct messages *messages)
{
    const struct targets *targets = messages->connections.targets;
    enum { AT_ONCE = sizeof messages->taken / sizeof *messages->taken, CONNECTIONS = 32 };
    struct channel_received *taken = messages->taken;
    struct channel_connection met[CONNECTIONS];
    size_t count = 0, met_count = 0, all = 0;
    bool more = false;
    messages_arrivals(messages);
    do {
        if (!messages->connections.channel)
            return 0;
        count = messages_receive(messages, taken, AT_ONCE);
        // Second: a sender has always connected before it sends.
        met_count = connections_accept(&messages->connections, met, CONNECTIONS, &more);
        for (size_t i = 0, j = 0; i < count || j < met_count;) {
            if (j < met_count && (i == count || met[j].handshake.time_ns <= taken[i].time_ns)) {
                connections_register(&messages->connections, &met[j++]);
            } else {
                const struct channel_received *message = &taken[i++];
                bool is_early = more && !tasks_process_of_channel(targets->tasks, message->process);
                if (is_early && messages_postpone(messages, message))
                    continue;
                messages_handle(messages, message);
                channel_server_answer(message);
            }
        }
        all += count + met_count;
    } while (!more && (count == AT_ONCE || met_count == CONNECTIONS));
    return all;
}

void messages_finish(const struct messages *messages)
{
    const struct connections *connections = &messages->connections;
    note_count(connections->targets->tasks, "unmatched",
               connections->channel ? channel_server_missed(connections->channel) : 0, NULL,
               "message of a thread found no room: it may be missing, or unpinned",
               "messages of threads found no room: some threads may be missing, or unpinned");
    note_count(connections->targets->tasks, "unmade",
               connections->channel ? channel_server_unmade(connections->channel) : 0, OUTPUT_NAME_MORE_PROCESSES,
               "thread could not be started: the system refused it; up to 5 of the allowed ones are numaprof's own",
               "threads could not be started: the system refused them; up to 5 of the allowed ones are numaprof's own");
}
