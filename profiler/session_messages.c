// SPDX-License-Identifier: Apache-2.0
// What the preload library tells: threads and their places, choices of the program, the end of a process.
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sysfile.h"
#include "profiler/clock.h"
#include "profiler/session.h"

// --- numbers of other pid namespaces

// The last number of the line "NSpid:" is the thread's in its own namespace.
static pid_t messages_inner_tid(pid_t pid, const char *task)
{
    char text[4096];
    if (sysfile_text("", text, sizeof text, "/proc/%d/task/%s/status", pid, task) < 0)
        return 0;
    const char *line = strstr(text, "\nNSpid:");
    if (!line)
        return 0;
    const char *end = strchr(line + 1, '\n');
    const char *last = end ? end : line + strlen(line);
    while (last > line && last[-1] >= '0' && last[-1] <= '9')
        last--;
    return (pid_t)atoi(last);
}

static pid_t messages_outer_tid(const struct process *process, pid_t inner)
{
    char path[64];
    pid_t found = inner;
    snprintf(path, sizeof path, "/proc/%d/task", process->pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return inner;
    for (const struct dirent *entry; (entry = readdir(tasks));) {
        if (entry->d_name[0] != '.' && messages_inner_tid(process->pid, entry->d_name) == inner) {
            found = (pid_t)atoi(entry->d_name);
            break;
        }
    }
    closedir(tasks);
    return found;
}

static struct thread *messages_thread(struct session *session, struct process *process, pid_t inner, uint64_t time)
{
    pid_t tid = process->other_namespace ? messages_outer_tid(process, inner) : inner;
    struct thread *thread = tasks_thread(&session->tasks, tid);
    return thread ? thread : tasks_add_thread(&session->tasks, process, tid, time, true);
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

// Without records of the kernel's, the library is the only one who tells.
static void messages_exit_thread(struct session *session, struct process *process,
                                 const struct channel_received *message)
{
    struct thread *thread = messages_thread(session, process, (pid_t)message->tid, message->time_ns);
    if (thread)
        thread->left_place = true;
    if (thread && session->stream_count == 0 && process->threads > 1)
        tasks_end_thread(&session->tasks, thread, message->time_ns);
}

static void messages_exit_process(struct session *session, struct process *process,
                                  const struct channel_received *message)
{
    struct thread *thread = messages_thread(session, process, (pid_t)message->tid, message->time_ns);
    if (thread)
        thread->left_place = true;
    session_drain(session);
    faults_settle(&session->faults, process);
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
        if (thread)
            tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PLANNED, message->cpu, NULL);
        break;
    }
    case CHANNEL_AFFINITY:
        messages_affinity(session, process, message);
        break;
    case CHANNEL_PROCESS_EXIT:
        messages_exit_process(session, process, message);
        break;
    default:
        break;
    }
}

void session_messages(struct session *session)
{
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
            tasks_add_thread(&session->tasks, process, connection.pid, clock_now(), true);
        }
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
    for (size_t at = 0; table_next(&session->tasks.threads, &at, &tid, &value);)
        scan_pin(session, (struct thread *)(uintptr_t)value);
}
