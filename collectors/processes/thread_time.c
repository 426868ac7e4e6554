// SPDX-License-Identifier: Apache-2.0
#include "collectors/processes/thread_time.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collectors/perf/perf_event.h"
#include "core/system/clock.h"
#include "core/system/sysfile.h"

// /proc/PID/task/TID/schedstat begins with the time on a CPU and the time of waiting for one, in ns
// (Documentation/scheduler/sched-stats.rst). -1: unknown.
static int64_t thread_time_schedstat(pid_t pid, pid_t tid, int64_t *waited)
{
    char text[128], *end;
    const int status = sysfile_text("", text, sizeof text, "/proc/%d/task/%d/schedstat", pid, tid);
    if (status <= 0)
        return -1;
    const int64_t ran = strtoll(text, &end, 10);
    *waited = strtoll(end, NULL, 10);
    return ran;
}

int64_t thread_time_shown(pid_t pid, pid_t tid)
{
    int64_t waited;
    return thread_time_schedstat(pid, tid, &waited);
}

void thread_time_begin(struct thread *thread)
{
    int64_t waited;
    const int64_t shown = thread_time_schedstat(thread->process->pid, thread->tid, &waited);
    if (shown < 0)
        return;
    thread->cpu_ns_before = thread->ran_ns_before = (uint64_t)shown;
    thread->waited_ns_before = (uint64_t)waited;
}

void thread_time_set(struct thread *thread, int64_t ns)
{
    if (thread->counters || ns < 0)
        return;
    thread->cpu_ns = (uint64_t)ns > thread->cpu_ns_before ? (uint64_t)ns - thread->cpu_ns_before : 0;
    thread->knows_cpu_ns = true;
    thread->cpu_ns_at = clock_now();
}

void thread_time_read(struct thread *thread)
{
    int64_t waited;
    const int64_t ran = thread_time_schedstat(thread->process->pid, thread->tid, &waited);
    thread_time_set(thread, ran);
    if (ran < 0)
        return;
    thread->ran_ns = (uint64_t)ran;
    thread->waited_ns = (uint64_t)waited;
}

static void thread_time_leave(struct thread *thread)
{
    if (thread->clock > 0)
        close(thread->clock);
    thread->clock = 0;
}

// Half of the files that may be open are for what says more. The clock counts time in the kernel too.
void thread_time_follow(struct thread *thread)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1};
    struct rlimit files;
    thread_time_leave(thread); // after exec from another thread the clock is not that of this one
    thread->clock_start = thread_time_shown(thread->process->pid, thread->tid);
    if (thread->counters || thread->clock_start < 0 || getrlimit(RLIMIT_NOFILE, &files) < 0)
        return;
    int fd = perf_event_open(&attr, thread->tid, -1, -1);
    thread->clock = fd > 0 ? fd : 0;
    if (fd > 0 && (rlim_t)fd >= files.rlim_cur / 2)
        thread_time_leave(thread);
}

void thread_time_end(struct thread *thread)
{
    uint64_t ran;
    if (thread->clock > 0 && read(thread->clock, &ran, sizeof ran) == sizeof ran)
        thread_time_set(thread, thread->clock_start + (int64_t)ran);
    thread_time_leave(thread);
}
