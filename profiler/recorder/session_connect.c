// SPDX-License-Identifier: Apache-2.0
// Processes with our library introduce themselves.
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "profiler/recorder/session.h"

// Without the kernel's records, nobody else tells that the process runs another program, and what is mapped where.
static void connect_read_maps(struct session *session, struct process *process)
{
    if (session->fault_source_count > 0)
        return;
    session_close_blocks(session, process);
    unwind_forget(session->unwind, process->id);
    tasks_exec(&session->tasks, process);
    address_space_read(&process->space, &session->tasks.paths, process->pid);
}

static void connect_know(struct session *session, struct process *process, const struct channel_connection *connection)
{
    process->channel = connection->hello.process;
    process->inner_pid = (pid_t)connection->hello.pid;
    process->other_namespace = process->inner_pid != process->pid;
    process->has_library = true;
    RECORD(session->queue, RECORDING_PROCESS_FOLLOWED, RECORD_NUMBER(process->id), RECORD_TEXT("preload"));
    tasks_set_exe(&session->tasks, process, NULL);
    connect_read_maps(session, process);
    struct thread *thread = tasks_add_thread(&session->tasks, process, process->pid, clock_now(), true, NULL);
    session->own_allocators += connection->hello.own_allocator != 0;
    if (connection->ring >= 0)
        session_open_blocks(session, process, connection->ring);
    if (session->greeter.runs)
        thread_starts_register(&session->greeter, process->channel, process->pid, process->other_namespace);
    if (!thread)
        return;
    tasks_read_name(&session->tasks, thread);
    session_count_thread(session, thread);
}

void session_connect(struct session *session, struct channel_connection *connection)
{
    uint64_t now = clock_now(), said = connection->hello.time_ns;
    // Its fork and exec are known before it is, but not its end.
    session_drain_until(session, said < now ? said : now);
    struct process *process = tasks_process(&session->tasks, connection->pid);
    bool is_told = session->fault_source_count > 0; // the kernel tells of every descendant
    if (!process && !(connection->is_gone && is_told))
        process = tasks_add_process(&session->tasks, connection->pid, NULL, now, "preload");
    if (process)
        connect_know(session, process, connection);
    if (connection->ring >= 0)
        close(connection->ring);
    channel_server_welcome(&session->channel, connection);
}

size_t session_accept(struct session *session, struct channel_connection *connections, size_t max, bool *more)
{
    enum { REFUSALS = 64 }; // some 20 us each: a flood of them leaves time for the rings
    struct pollfd listener = {.fd = session->channel.listener, .events = POLLIN};
    size_t count = 0, refused = 0;
    // poll first: accept makes a socket before it finds out that nobody is there.
    while (count < max && refused < REFUSALS && poll(&listener, 1, 0) > 0) {
        int status = channel_server_accept(&session->channel, &connections[count]);
        if (status == 0)
            count++;
        else if (status == -EPERM || status == -EPROTO || status == -ECONNABORTED || status == -EINTR)
            refused++;
        else
            break; // none, or no descriptors or memory: perhaps later
    }
    *more = refused == REFUSALS;
    return count;
}
