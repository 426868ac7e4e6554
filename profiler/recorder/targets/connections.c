// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/connections.h"

#include <errno.h>
#include <unistd.h>

#include "core/process/process_stat.h"
#include "core/system/clock.h"

// Without the kernel's records, nobody else tells that the process runs another program, and what is mapped where.
static void connections_read_maps(const struct connections *connections, struct process *process)
{
    struct tasks *tasks = connections->targets->tasks;
    if (tasks->has_kernel_records)
        return;
    allocations_close_ring(connections->targets->allocations, process);
    tasks_exec(tasks, process);
    address_space_read(&process->space, &tasks->paths, process->shown);
}

static void connections_open_ring(const struct connections *connections, struct process *process,
                                  const struct channel_connection *connection)
{
    if (connection->ring >= 0)
        allocations_open_ring(connections->targets->allocations, process, connection->ring);
}

static void connections_make_known(const struct connections *connections, struct process *process,
                                   const struct channel_connection *connection)
{
    struct tasks *tasks = connections->targets->tasks;
    if (process->has_library && process->channel == connection->handshake.process) {
        // The answer came too late, and it asks again: a second stream would read the same ring.
        if (!process->allocations)
            connections_open_ring(connections, process, connection);
        return;
    }
    if (!connection->handshake.forked)
        targets_recover(connections->targets, process);
    process->channel = connection->handshake.process;
    process->inner_pid = (pid_t)connection->handshake.pid;
    process->other_namespace = process->inner_pid != process->pid;
    process->has_library = true;
    process->awaits_library = false;
    RECORD(tasks->queue, RECORDING_PROCESS_FOLLOWED, RECORD_NUMBER(process->id), RECORD_TEXT("preload"));
    tasks_set_exe(tasks, process, NULL);
    connections_read_maps(connections, process);
    struct thread *thread = tasks_add_thread(tasks, process, process->pid, clock_now(), true, NULL);
    connections->targets->allocations->own_allocators += connection->handshake.own_allocator != 0;
    connections_open_ring(connections, process, connection);
    if (!thread)
        return;
    tasks_read_name(tasks, thread);
    counter_sets_count(connections->targets->sets, thread);
}

// True if nothing is to be opened for the process before it goes on. Its records, which came before, wait in the rings.
static bool connections_may_go_on(const struct connections *connections, pid_t pid)
{
    const struct tasks *tasks = connections->targets->tasks;
    const struct counter_sets *sets = connections->targets->sets;
    const struct thread *thread = tasks_thread(tasks, pid);
    return tasks->has_kernel_records && (!sets->usable || sets->counts_cpus || (thread && thread->counters));
}

void connections_register(const struct connections *connections, struct channel_connection *connection)
{
    struct tasks *tasks = connections->targets->tasks;
    uint64_t now = clock_now();
    const bool goes_on = connections_may_go_on(connections, connection->pid);
    const pid_t inner = (pid_t)connection->handshake.pid;
    if (!connection->is_gone) // first: once answered, it starts threads
        thread_starts_register(connections->starts, connection->handshake.process, connection->pid,
                               inner != connection->pid);
    int status = goes_on ? channel_server_admit(connections->channel, connection) : 0;
    // Its fork and exec are known before it is, but not its end.
    perf_streams_drain(connections->streams, connection->handshake.time_ns);
    struct process *process = tasks_process(tasks, connection->pid);
    bool is_told = tasks->has_kernel_records; // the kernel tells of every descendant
    if (!process && !(connection->is_gone && is_told))
        process = tasks_add_process(tasks, connection->pid, NULL, now, "preload");
    if (process)
        connections_make_known(connections, process, connection);
    if (connection->ring >= 0)
        close(connection->ring);
    if (!goes_on)
        status = channel_server_admit(connections->channel, connection);
    if (status < 0 && process && !process_stat_has_ended(connection->pid))
        programs_gave_up(&connections->targets->programs, process); // it was not killed while it waited
}

void connections_refuse(const struct channel_connection *connection)
{
    close(connection->fd);
    if (connection->ring >= 0)
        close(connection->ring);
}

size_t connections_accept(const struct connections *connections, struct channel_connection *taken, size_t max,
                          bool *more)
{
    enum { REFUSALS = 64 }; // some 20 us each: a flood of them leaves time for the rings
    size_t count = 0, refused = 0;
    int status = 0;
    while (count < max && refused < REFUSALS && status != -EAGAIN) {
        status = channel_server_accept(connections->channel, &taken[count]);
        if (status == 0)
            count++;
        else if (status == -EPERM || status == -EPROTO || status == -EINPROGRESS || status == -ECONNABORTED ||
                 status == -EINTR)
            refused++;
        else
            break; // none, or no descriptors or memory: perhaps later
    }
    *more = status != -EAGAIN;
    return count;
}
