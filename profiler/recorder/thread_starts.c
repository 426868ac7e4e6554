// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/thread_starts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/recorder/namespaces.h"

static void thread_starts_identify(struct thread_starts *greeter, struct thread_starts_arrival *arrival)
{
    uint64_t value = 0;
    pthread_mutex_lock(&greeter->mutex);
    table_get(&greeter->processes, arrival->message.process, &value);
    pthread_mutex_unlock(&greeter->mutex);
    pid_t pid = (pid_t)(int64_t)value, tid = (pid_t)arrival->message.tid;
    arrival->tid = pid < 0 ? namespaces_outer_tid(-pid, tid) : tid;
    arrival->was_there = pid != 0 && arrival->tid > 0 && syscall(SYS_tgkill, abs(pid), arrival->tid, 0) == 0;
}

static void thread_starts_keep(struct thread_starts *greeter, struct thread_starts_arrival arrival)
{
    pthread_mutex_lock(&greeter->mutex);
    if (greeter->count == greeter->size) {
        size_t size = greeter->size ? greeter->size * 2 : 64;
        struct thread_starts_arrival *arrivals = realloc(greeter->arrivals, size * sizeof *arrivals);
        if (arrivals) {
            greeter->arrivals = arrivals;
            greeter->size = size;
        }
    }
    bool kept = greeter->count < greeter->size;
    if (kept)
        greeter->arrivals[greeter->count++] = arrival;
    pthread_mutex_unlock(&greeter->mutex);
    if (!kept && arrival.counters)
        counters_close(arrival.counters);
}

static void thread_starts_answer(struct thread_starts *greeter, const struct channel_received *message)
{
    struct thread_starts_arrival arrival = {.message = *message};
    thread_starts_identify(greeter, &arrival);
    if (greeter->counters->usable > 0 && arrival.tid > 0)
        arrival.counters = counters_open(greeter->counters, arrival.tid, -1, (struct counters_how){0});
    thread_starts_keep(greeter, arrival); // first: once answered, the thread may end before it is kept
    channel_server_answer(message);
}

static void *thread_starts_run(void *argument)
{
    struct thread_starts *greeter = argument;
    struct channel_received messages[16];
    uint32_t seen = 0;
    const uint64_t one = 1;
    while (!atomic_load(&greeter->stop)) {
        uint32_t before = seen;
        size_t count;
        channel_server_await(greeter->server, &seen);
        while ((count = channel_server_receive(greeter->server, true, messages, 16)) > 0)
            for (size_t i = 0; i < count; i++)
                thread_starts_answer(greeter, &messages[i]);
        if (seen != before)
            (void)!write(greeter->wake, &one, sizeof one);
    }
    return NULL;
}

int thread_starts_start(struct thread_starts *greeter, struct channel_server *server, struct counters *counters)
{
    *greeter =
        (struct thread_starts){.server = server, .counters = counters, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (greeter->wake < 0)
        return -errno;
    pthread_mutex_init(&greeter->mutex, NULL);
    int status = -pthread_create(&greeter->thread, NULL, thread_starts_run, greeter);
    greeter->runs = status == 0;
    if (status < 0)
        close(greeter->wake);
    return status;
}

void thread_starts_register(struct thread_starts *greeter, uint64_t process, pid_t pid, bool is_elsewhere)
{
    pthread_mutex_lock(&greeter->mutex);
    table_put(&greeter->processes, process, (uint64_t)(int64_t)(is_elsewhere ? -pid : pid));
    pthread_mutex_unlock(&greeter->mutex);
}

void thread_starts_awake(const struct thread_starts *greeter)
{
    uint64_t times;
    (void)!read(greeter->wake, &times, sizeof times);
}

bool thread_starts_take(struct thread_starts *greeter, struct thread_starts_arrival *arrival)
{
    pthread_mutex_lock(&greeter->mutex);
    bool taken = greeter->taken < greeter->count;
    if (taken)
        *arrival = greeter->arrivals[greeter->taken++];
    else
        greeter->taken = greeter->count = 0;
    pthread_mutex_unlock(&greeter->mutex);
    return taken;
}

void thread_starts_stop(struct thread_starts *greeter)
{
    if (!greeter->runs)
        return;
    atomic_store(&greeter->stop, true);
    channel_server_ring(greeter->server); // or it would look only after its next slice
    pthread_join(greeter->thread, NULL);
    struct thread_starts_arrival arrival;
    while (thread_starts_take(greeter, &arrival))
        if (arrival.counters)
            counters_close(arrival.counters);
    free(greeter->arrivals);
    table_free(&greeter->processes);
    pthread_mutex_destroy(&greeter->mutex);
    close(greeter->wake);
    greeter->runs = false;
}
