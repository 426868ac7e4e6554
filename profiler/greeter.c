// SPDX-License-Identifier: Apache-2.0
#include "profiler/greeter.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/namespaces.h"

static void greeter_recognise(struct greeter *greeter, struct greeter_arrival *arrival)
{
    uint64_t value = 0;
    pthread_mutex_lock(&greeter->mutex);
    table_get(&greeter->processes, arrival->message.process, &value);
    pthread_mutex_unlock(&greeter->mutex);
    pid_t pid = (pid_t)(int64_t)value, tid = (pid_t)arrival->message.tid;
    arrival->tid = pid < 0 ? namespaces_outer_tid(-pid, tid) : tid;
    arrival->was_there = pid != 0 && arrival->tid > 0 && syscall(SYS_tgkill, abs(pid), arrival->tid, 0) == 0;
}

static void greeter_keep(struct greeter *greeter, struct greeter_arrival arrival)
{
    pthread_mutex_lock(&greeter->mutex);
    if (greeter->count == greeter->size) {
        size_t size = greeter->size ? greeter->size * 2 : 64;
        struct greeter_arrival *arrivals = realloc(greeter->arrivals, size * sizeof *arrivals);
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

static void greeter_welcome(struct greeter *greeter, const struct channel_received *message)
{
    struct greeter_arrival arrival = {.message = *message};
    greeter_recognise(greeter, &arrival);
    if (greeter->counters->usable > 0 && arrival.tid > 0)
        arrival.counters = counters_open(greeter->counters, arrival.tid, -1, (struct counters_how){0});
    greeter_keep(greeter, arrival); // first: once answered, the thread may end before it is kept
    channel_server_answer(message);
}

static void *greeter_run(void *argument)
{
    struct greeter *greeter = argument;
    struct channel_received messages[16];
    uint32_t seen = 0;
    const uint64_t one = 1;
    while (!atomic_load(&greeter->stop)) {
        uint32_t before = seen;
        size_t count;
        channel_server_await(greeter->server, &seen);
        while ((count = channel_server_receive(greeter->server, true, messages, 16)) > 0)
            for (size_t i = 0; i < count; i++)
                greeter_welcome(greeter, &messages[i]);
        if (seen != before)
            (void)!write(greeter->wake, &one, sizeof one);
    }
    return NULL;
}

int greeter_start(struct greeter *greeter, struct channel_server *server, struct counters *counters)
{
    *greeter = (struct greeter){.server = server, .counters = counters, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (greeter->wake < 0)
        return -errno;
    pthread_mutex_init(&greeter->mutex, NULL);
    int status = -pthread_create(&greeter->thread, NULL, greeter_run, greeter);
    greeter->runs = status == 0;
    if (status < 0)
        close(greeter->wake);
    return status;
}

void greeter_introduce(struct greeter *greeter, uint64_t process, pid_t pid, bool is_elsewhere)
{
    pthread_mutex_lock(&greeter->mutex);
    table_put(&greeter->processes, process, (uint64_t)(int64_t)(is_elsewhere ? -pid : pid));
    pthread_mutex_unlock(&greeter->mutex);
}

void greeter_awake(const struct greeter *greeter)
{
    uint64_t times;
    (void)!read(greeter->wake, &times, sizeof times);
}

bool greeter_take(struct greeter *greeter, struct greeter_arrival *arrival)
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

void greeter_stop(struct greeter *greeter)
{
    if (!greeter->runs)
        return;
    atomic_store(&greeter->stop, true);
    channel_server_ring(greeter->server); // or it would look only after its next slice
    pthread_join(greeter->thread, NULL);
    struct greeter_arrival arrival;
    while (greeter_take(greeter, &arrival))
        if (arrival.counters)
            counters_close(arrival.counters);
    free(greeter->arrivals);
    table_free(&greeter->processes);
    pthread_mutex_destroy(&greeter->mutex);
    close(greeter->wake);
    greeter->runs = false;
}
