// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/channel/thread_starts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/processes/namespaces.h"
#include "core/process/thread_create.h"
#include "core/util/grow.h"

static void thread_starts_identify(struct thread_starts *starts, struct thread_starts_arrival *arrival)
{
    uint64_t value = 0;
    pthread_mutex_lock(&starts->mutex);
    table_get(&starts->processes, arrival->message.process, &value);
    pthread_mutex_unlock(&starts->mutex);
    pid_t pid = (pid_t)(int64_t)value, tid = (pid_t)arrival->message.tid;
    arrival->tid = pid < 0 ? namespaces_outer_tid(-pid, tid) : tid;
    if (pid == 0 && channel_server_descends(tid) < 0) // its process is not known yet, and may count in other numbers
        arrival->tid = 0;
    arrival->was_there = pid != 0 && arrival->tid > 0 && syscall(SYS_tgkill, abs(pid), arrival->tid, 0) == 0;
}

static void thread_starts_keep(struct thread_starts *starts, struct thread_starts_arrival arrival)
{
    pthread_mutex_lock(&starts->mutex);
    struct thread_starts_arrival *kept = grow_array(starts->arrivals, &starts->size, starts->count + 1, sizeof arrival);
    if (kept) {
        starts->arrivals = kept;
        starts->arrivals[starts->count++] = arrival;
    }
    pthread_mutex_unlock(&starts->mutex);
    if (!kept && arrival.counters)
        counters_close(arrival.counters);
}

static void thread_starts_answer(struct thread_starts *starts, const struct channel_received *message)
{
    struct thread_starts_arrival arrival = {.message = *message};
    thread_starts_identify(starts, &arrival);
    if (starts->counters->usable > 0 && arrival.tid > 0)
        arrival.counters = counters_open(starts->counters, arrival.tid, -1, (struct counters_how){.waits = true});
    arrival.is_late = !channel_server_is_awaited(message);
    if (arrival.is_late && arrival.counters)
        arrival.time_before = counters_time_before(arrival.counters);
    thread_starts_keep(starts, arrival); // first: once answered, the thread may end before it is kept
    channel_server_answer(message);
}

// Returns how many.
static size_t thread_starts_answer_some(struct thread_starts *starts)
{
    struct channel_received messages[16];
    const size_t count = channel_server_receive(starts->server, true, messages, sizeof messages / sizeof *messages);
    for (size_t i = 0; i < count; i++)
        thread_starts_answer(starts, &messages[i]);
    return count;
}

static void *thread_starts_run(void *argument)
{
    struct thread_starts *starts = argument;
    uint32_t seen = 0;
    const uint64_t one = 1;
    while (!atomic_load(&starts->stop)) {
        uint32_t before = seen;
        channel_server_await(starts->server, &seen);
        while (!atomic_load(&starts->stop) && thread_starts_answer_some(starts) > 0)
            ;
        if (seen != before)
            (void)!write(starts->wake, &one, sizeof one);
    }
    // What was sent before the stop. Who never ends to send does not hold up the end.
    for (size_t answered = 0, more = 1; more > 0 && answered < CHANNEL_MESSAGES; answered += more)
        more = thread_starts_answer_some(starts);
    return NULL;
}

int thread_starts_start(struct thread_starts *starts, struct channel_server *server, struct counters *counters)
{
    *starts =
        (struct thread_starts){.server = server, .counters = counters, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (starts->wake < 0)
        return -errno;
    pthread_mutex_init(&starts->mutex, NULL);
    int status = thread_create(&starts->thread, thread_starts_run, starts);
    starts->runs = starts->is_open = status == 0;
    if (status < 0)
        close(starts->wake);
    return status;
}

void thread_starts_register(struct thread_starts *starts, uint64_t process, pid_t pid, bool is_elsewhere)
{
    if (!starts->is_open)
        return;
    pthread_mutex_lock(&starts->mutex);
    table_put(&starts->processes, process, (uint64_t)(int64_t)(is_elsewhere ? -pid : pid));
    pthread_mutex_unlock(&starts->mutex);
}

void thread_starts_awake(const struct thread_starts *starts)
{
    uint64_t times;
    (void)!read(starts->wake, &times, sizeof times);
}

size_t thread_starts_take(struct thread_starts *starts, const struct thread_starts_arrival **arrivals)
{
    if (!starts->is_open)
        return 0;
    pthread_mutex_lock(&starts->mutex);
    struct thread_starts_arrival *taken = starts->arrivals;
    const size_t count = starts->count, size = starts->size;
    starts->arrivals = starts->taken;
    starts->size = starts->taken_size;
    starts->count = 0;
    pthread_mutex_unlock(&starts->mutex);
    starts->taken = taken;
    starts->taken_size = size;
    *arrivals = taken;
    return count;
}

void thread_starts_stop(struct thread_starts *starts)
{
    if (!starts->runs)
        return;
    atomic_store(&starts->stop, true);
    channel_server_ring(starts->server); // or it would look only after its next slice
    pthread_join(starts->thread, NULL);
    starts->runs = false;
}

void thread_starts_close(struct thread_starts *starts)
{
    thread_starts_stop(starts);
    if (!starts->is_open)
        return;
    for (size_t i = 0; i < starts->count; i++)
        if (starts->arrivals[i].counters)
            counters_close(starts->arrivals[i].counters);
    free(starts->arrivals);
    free(starts->taken);
    table_free(&starts->processes);
    pthread_mutex_destroy(&starts->mutex);
    close(starts->wake);
    starts->is_open = false;
}
