// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/perf_event.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int perf_event_control(int fd, unsigned long request, unsigned long argument)
{
    return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

static int perf_event_open_task(struct perf_event_attr *attr, int task, int cpu, int group, unsigned long flags)
{
    attr->size = sizeof *attr;
    int fd = (int)syscall(SYS_perf_event_open, attr, task, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int perf_event_open(struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
    return perf_event_open_task(attr, tid, cpu, group, 0);
}

int perf_event_open_cgroup(struct perf_event_attr *attr, int cgroup, int cpu, int group)
{
    return perf_event_open_task(attr, cgroup, cpu, group, PERF_FLAG_PID_CGROUP);
}

int perf_event_id(int fd, uint64_t *id)
{
    return perf_event_control(fd, PERF_EVENT_IOC_ID, (unsigned long)id);
}

int perf_event_enable(int fd)
{
    return perf_event_control(fd, PERF_EVENT_IOC_ENABLE, 0);
}

int perf_event_disable(int fd)
{
    return perf_event_control(fd, PERF_EVENT_IOC_DISABLE, 0);
}

int perf_event_set_period(int fd, uint64_t period)
{
    return perf_event_control(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
}

int perf_event_redirect(int fd, int to_fd)
{
    return perf_event_control(fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)to_fd);
}

int perf_event_map(struct perf_ring *ring, int fd, size_t most_pages)
{
    int status = -EINVAL;
    for (size_t pages = most_pages; pages >= 1; pages /= 2) {
        status = perf_ring_map(ring, fd, pages);
        if (status != -EPERM && status != -ENOMEM)
            break;
    }
    return status;
}
