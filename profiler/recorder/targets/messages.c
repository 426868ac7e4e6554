// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/messages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "collectors/processes/namespaces.h"
#include "collectors/processes/thread_time.h"
#include "core/util/grow.h"
#include "profiler/output/output_name.h"
#include "profiler/recorder/targets/pins.h"

static pid_t messages_tid(const struct process *process, pid_t inner)
{
    if (inner == process->inner_pid)
        return process->pid;
    return process->other_namespace ? namespaces_outer_tid(process->pid, inner) : inner;
}

// New threads tell of themselves in any order; the reports want the order in which they were made, as the kernel's
// records have it.
static uint64_t messages_began(const struct channel_received *message)
{
    return message->kind == CHANNEL_THREAD_START ? message->began_ns : message->time_ns;
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
    return tasks_add_thread(targets->tasks, process, tid, messages_began(message), true, NULL);
}

// NULL: the kernel's record of its end came before the library's message.
static struct thread *messages_ending_thread(struct messages *messages, const struct process *process,
                                             const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    struct thread *thread = tasks_thread(targets->tasks, messages_tid(process, (pid_t)message->tid));
    uint64_t tid, value;
    // In another pid namespace only /proc translates its number, and only while it lives.
    const bool is_elsewhere = process->other_namespace;
    for (size_t at = 0; is_elsewhere && !thread && table_next(&targets->tasks->threads, &at, &tid, &value);) {
        struct thread *other = (struct thread *)(uintptr_t)value;
        if (other->process == process && other->inner_tid == (pid_t)message->tid)
            thread = other;
    }
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

static void messages_pinned(struct messages *messages, pid_t tid, const struct channel_received *message)
{
    struct thread *thread = messages_thread(messages, message, tid);
    if (thread)
        counter_sets_forget_migrations(thread);
    messages_start(messages, tid, message);
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

// Without records of the kernel's, the library is the only one who tells. With them, a thread that nobody answered is
// known from the record of its start only.
static void messages_exit_thread(struct messages *messages, const struct process *process,
                                 const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    if (!tasks_thread(targets->tasks, messages_tid(process, (pid_t)message->tid)))
        perf_streams_drain(messages->connections.streams, message->time_ns);
    process = tasks_process_of_channel(targets->tasks, message->process);
    struct thread *thread = process ? messages_ending_thread(messages, process, message) : NULL;
    if (!thread)
        return; // its end was among the records
    thread_time_set(thread, message->a);
    if (!targets->tasks->has_kernel_records && process->threads > 1)
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

// The rings are drained first: they hold what the process did before.
static void messages_sandbox(struct messages *messages, const struct channel_received *message)
{
    const struct targets *targets = messages->connections.targets;
    perf_streams_drain(messages->connections.streams, message->time_ns);
    struct process *process = tasks_process_of_channel(targets->tasks, message->process);
    messages->sandboxed++;
    if (!process)
        return; // its end was among the records
    allocations_forget(targets->allocations, process, message->time_ns);
    pins_forget(targets, process);
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

// Keeps a message whose sender is not known yet, among those that were handled.
static void messages_postpone(struct messages *messages, const struct channel_received *message)
{
    if (messages->early_count < CHANNEL_MESSAGES)
        messages->taken[messages->early_count++] = *message;
    else
        messages->dropped++;
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
    case CHANNEL_PINNED:
        messages_pinned(messages, messages_tid(process, (pid_t)message->tid), message);
        break;
    case CHANNEL_AFFINITY:
        messages_affinity(messages, process, message);
        break;
    case CHANNEL_EXEC:
        messages_exec(messages, process, message);
        break;
    case CHANNEL_SANDBOX:
        messages_sandbox(messages, message);
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

// --- threads that were answered when they started: their events are open

static void messages_give(struct messages *messages, struct thread *thread, const struct thread_starts_arrival *arrival)
{
    const struct targets *targets = messages->connections.targets;
    thread->inner_tid = (pid_t)arrival->message.tid;
    thread->counters_refused = !arrival->counters;
    if (arrival->is_late && arrival->counters)
        tasks_mark_late(targets->tasks, thread);
    if (arrival->counters)
        counter_sets_give(targets->sets, thread, arrival->counters, arrival->time_before);
}

static void messages_drop(struct thread_starts_arrival *arrival)
{
    if (arrival->counters)
        counters_close(arrival->counters);
    arrival->counters = NULL;
}

static void messages_arrive(struct messages *messages, struct thread_starts_arrival *arrival)
{
    struct tasks *tasks = messages->connections.targets->tasks;
    struct process *process = tasks_process_of_channel(tasks, arrival->message.process);
    // Who was not known when the thread was answered may count in other numbers: its counters are of another thread.
    const bool is_guess = process->other_namespace && !arrival->was_there;
    const pid_t tid = is_guess ? messages_tid(process, (pid_t)arrival->message.tid) : arrival->tid;
    if (tid != arrival->tid)
        messages_drop(arrival);
    const bool is_known = messages_thread(messages, &arrival->message, tid);
    process = tasks_process_of_channel(tasks, arrival->message.process);
    // Where many threads start at once, the kernel's record of one may be lost, and it has ended by now.
    if (!is_known && process && arrival->was_there)
        tasks_add_thread(tasks, process, tid, messages_began(&arrival->message), true, NULL);
    struct thread *thread = tasks_thread(tasks, tid);
    if (!thread || thread->process != process) {
        messages_drop(arrival);
        return;
    }
    messages_start(messages, tid, &arrival->message);
    messages_give(messages, thread, arrival);
}

static int messages_by_time(const void *one, const void *other)
{
    const struct thread_starts_arrival *a = one, *b = other;
    return (a->message.time_ns > b->message.time_ns) - (a->message.time_ns < b->message.time_ns);
}

static void messages_arrivals(struct messages *messages)
{
    const struct thread_starts_arrival *fresh = NULL;
    const size_t count = thread_starts_take(messages->connections.starts, &fresh), before = messages->arrival_count;
    if (count == 0)
        return;
    struct thread_starts_arrival *all =
        grow_array(messages->arrivals, &messages->arrival_room, before + count, sizeof *all);
    if (!all) {
        for (size_t i = 0; i < count; i++)
            messages_drop(&(struct thread_starts_arrival){.counters = fresh[i].counters});
        return;
    }
    messages->arrivals = all;
    memcpy(all + before, fresh, count * sizeof *all);
    messages->arrival_count = before + count;
    qsort(all, before + count, sizeof *all, messages_by_time);
}

// Keeps those that came after the messages that were taken, and those whose process is not known, for as long as it may
// wait for its connection: some with their counters, which are descriptors.
static void messages_keep_arrivals(struct messages *messages, uint64_t before)
{
    enum { UNMET = CHANNEL_MESSAGES, UNMET_COUNTED = 64 };
    size_t kept = 0, unmet = 0;
    for (size_t i = 0; i < messages->arrival_count; i++) {
        struct thread_starts_arrival *arrival = &messages->arrivals[i];
        const uint64_t sent = arrival->message.time_ns;
        const bool may_come = sent + UINT64_C(2) * CHANNEL_STARVED_MS * CLOCK_MS > before;
        if (arrival->message.kind == 0)
            continue;
        unmet += sent <= before;
        if (sent <= before && (!may_come || unmet > UNMET_COUNTED))
            messages_drop(arrival);
        if (sent > before || (may_come && unmet <= UNMET))
            messages->arrivals[kept++] = *arrival;
        else
            messages->dropped += may_come;
    }
    messages->arrival_count = kept;
}

static void messages_arrive_if_known(struct messages *messages, struct thread_starts_arrival *arrival)
{
    if (arrival->message.kind == 0 ||
        !tasks_process_of_channel(messages->connections.targets->tasks, arrival->message.process))
        return;
    messages_arrive(messages, arrival);
    arrival->message.kind = 0;
}

// A process that was not answered in time goes on: its threads may arrive before its connection is taken.
static void messages_connect(struct messages *messages, struct channel_connection *connection, size_t arrived)
{
    const uint64_t number = connection->handshake.process;
    connections_register(&messages->connections, connection);
    for (size_t i = 0; i < arrived; i++)
        if (messages->arrivals[i].message.process == number)
            messages_arrive_if_known(messages, &messages->arrivals[i]);
}

// *until: all that were sent before it are among them. What a scan passed by, the next one finds: the last one finds
// none, unless who sends never ends.
static size_t messages_receive(struct messages *messages, uint64_t *until)
{
    enum { MOST = sizeof messages->taken / sizeof *messages->taken };
    size_t count = messages->early_count, more = 1;
    messages->early_count = 0;
    while (more > 0 && count < MOST) {
        *until = clock_now();
        more = channel_server_receive(messages->connections.channel, false, messages->taken + count, MOST - count);
        count += more;
    }
    channel_server_sort(messages->taken, count);
    return count;
}

static int messages_by_handshake(const void *one, const void *other)
{
    const struct channel_connection *a = one, *b = other;
    return (a->handshake.time_ns > b->handshake.time_ns) - (a->handshake.time_ns < b->handshake.time_ns);
}

// Takes connections, and notes who is taken by now. Where some are left, a look takes or refuses up to 64 of them; if
// descriptors are missing, none.
static void messages_meet(struct messages *messages)
{
    enum { MOST = sizeof messages->met / sizeof *messages->met, LOOKS = 2 * (1 + SOMAXCONN / 64) };
    const uint64_t now = clock_now();
    messages->met_count += connections_accept(&messages->connections, messages->met + messages->met_count,
                                              MOST - messages->met_count, &messages->more);
    qsort(messages->met, messages->met_count, sizeof *messages->met, messages_by_handshake);
    if (!messages->more)
        messages->marked_ns = now;
    if (messages->more && ++messages->looks < LOOKS)
        return;
    messages->settled_ns = messages->marked_ns;
    messages->marked_ns = now;
    messages->looks = 0;
}

// Its process may have connected and not be registered yet: a sender has always connected before it sends. next: among
// those that are met.
static bool messages_is_early(const struct messages *messages, const struct channel_received *message, size_t next)
{
    const bool is_met = next < messages->met_count && messages->met[next].handshake.time_ns <= message->time_ns;
    return (is_met || message->time_ns > messages->settled_ns) &&
           !tasks_process_of_channel(messages->connections.targets->tasks, message->process);
}

// Whether there is room for what is sent meanwhile, and for the connection itself.
static bool messages_may_hold(const struct messages *messages, size_t count)
{
    return count <= CHANNEL_MESSAGES && messages->met_count < sizeof messages->met / sizeof *messages->met;
}

// Keeps an early message and all that were sent after it.
static void messages_hold(struct messages *messages, size_t from, size_t count)
{
    messages->held_ns = messages->taken[from].time_ns;
    memmove(messages->taken + messages->early_count, messages->taken + from, (count - from) * sizeof *messages->taken);
    messages->early_count += count - from;
}

// What was taken, in the order in which it was sent: a thread that ends leaves its CPU slot before another one begins.
// Connections later than `until` wait: to register one, the kernel's records are drained until then, and with them the
// ends of threads whose starts are not taken yet. For the same reason everything behind an early message waits. Returns
// how many connections were registered.
static size_t messages_merge(struct messages *messages, size_t count, uint64_t before, uint64_t until)
{
    size_t i = 0, j = 0, k = 0, met = 0;
    messages->held_ns = UINT64_MAX;
    while (met < messages->met_count && messages->met[met].handshake.time_ns <= until)
        met++;
    for (;;) {
        const uint64_t sent = i < count ? messages->taken[i].time_ns : UINT64_MAX;
        const uint64_t said = j < met ? messages->met[j].handshake.time_ns : UINT64_MAX;
        const uint64_t began = k < messages->arrival_count ? messages->arrivals[k].message.time_ns : UINT64_MAX;
        if (began <= before && began < sent && began < said) {
            messages_arrive_if_known(messages, &messages->arrivals[k++]);
        } else if (j < met && (i == count || said <= sent)) {
            messages_connect(messages, &messages->met[j++], k);
        } else if (i == count) {
            break;
        } else if (!messages_is_early(messages, &messages->taken[i], j)) {
            messages_handle(messages, &messages->taken[i]);
            channel_server_answer(&messages->taken[i++]);
        } else if (messages_may_hold(messages, count)) {
            messages_hold(messages, i, count);
            break;
        } else {
            messages_postpone(messages, &messages->taken[i++]);
        }
    }
    messages->met_count -= j;
    memmove(messages->met, messages->met + j, messages->met_count * sizeof *messages->met);
    return j;
}

bool messages_are_held(const struct messages *messages)
{
    return messages->connections.channel && messages->held_ns < UINT64_MAX;
}

uint64_t messages_drain_until(const struct messages *messages, uint64_t until)
{
    return messages_are_held(messages) && messages->held_ns < until ? messages->held_ns : until;
}

size_t messages_take(struct messages *messages)
{
    enum { ROOM = sizeof messages->taken / sizeof *messages->taken, MOST = 4 * CHANNEL_MESSAGES };
    size_t count = 0, met = 0, all = 0;
    do {
        if (!messages->connections.channel)
            return 0;
        uint64_t until = 0;
        // What ended before a thread began had sent its end before that thread sent its start.
        const uint64_t before = clock_now();
        count = messages_receive(messages, &until);
        messages_arrivals(messages); // second: a thread arrives before it sends its end
        messages_meet(messages);     // third: a sender has always connected before it sends
        met = messages_merge(messages, count, before, until);
        messages_keep_arrivals(messages, messages_drain_until(messages, before));
        all += count - messages->early_count + met;
    } while (all < MOST && (!messages_are_held(messages) || !messages->more) && // then the rings again
             (count == ROOM || messages->met_count > 0 || (messages->more && met > 0)));
    return all;
}

void messages_take_last(struct messages *messages)
{
    enum { LOOKS = 1 + SOMAXCONN / 64 }; // each takes or refuses as many, and no more wait at this time
    for (int i = 0; i < LOOKS && (i == 0 || messages->more); i++)
        messages_take(messages);
    if (!messages_are_held(messages))
        return;
    messages->looks = UINT_MAX / 2;
    messages->marked_ns = UINT64_MAX; // whose sender is not known by now is nobody's
    messages_take(messages);
}

void messages_finish(const struct messages *messages)
{
    const struct connections *connections = &messages->connections;
    note_count(connections->targets->tasks, "unmatched",
               messages->dropped + (connections->channel ? channel_server_missed(connections->channel) : 0), NULL,
               "message of a thread was not taken in time: it may be missing or unpinned, or a mark without effect",
               "messages of threads were not taken in time: some may be missing or unpinned, or marks without effect");
    note_count(connections->targets->tasks, "sandbox", messages->sandboxed, NULL,
               "process forbade itself system calls of the preload library (seccomp): from then on its threads are not "
               "pinned, and what it allocates and starts has no name and no counters",
               "processes forbade themselves system calls of the preload library (seccomp): from then on their threads "
               "are not pinned, and what they allocate and start has no name and no counters");
    note_count(connections->targets->tasks, "unmade",
               connections->channel ? channel_server_unmade(connections->channel) : 0, OUTPUT_NAME_MORE_PROCESSES,
               "thread could not be started: the system refused it; up to 5 of the allowed ones are numaprof's own",
               "threads could not be started: the system refused them; up to 5 of the allowed ones are numaprof's own");
}

void messages_close(struct messages *messages)
{
    for (size_t i = 0; i < messages->met_count; i++)
        connections_refuse(&messages->met[i]);
    messages->met_count = 0;
    for (size_t i = 0; i < messages->arrival_count; i++)
        messages_drop(&messages->arrivals[i]);
    free(messages->arrivals);
    messages->arrivals = NULL;
    messages->arrival_count = messages->arrival_room = 0;
}
