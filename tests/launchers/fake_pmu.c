// SPDX-License-Identifier: Apache-2.0
// A PMU for machines without one: preloaded, it lets every hardware event be opened (as a file of zeros, mappable), but
// for those whose event number FAKE_PMU_REFUSES names, "0x1b7", which get the errno FAKE_PMU_ERRNO. Shows what a
// program makes of the answers; counts nothing.
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool refuses(const struct perf_event_attr *attr)
{
    const char *config = getenv("FAKE_PMU_REFUSES");
    return config && attr->type == PERF_TYPE_RAW && strtoull(config, NULL, 16) == attr->config;
}

static int fake_event(void)
{
    int fd = memfd_create("event", MFD_CLOEXEC);
    return fd >= 0 && ftruncate(fd, 64 << 20) < 0 ? -1 : fd;
}

long syscall(long number, ...)
{
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    const struct perf_event_attr *attr = (const struct perf_event_attr *)a[0];
    if (number == SYS_perf_event_open && attr && attr->type != PERF_TYPE_SOFTWARE) {
        if (!refuses(attr))
            return fake_event();
        errno = atoi(getenv("FAKE_PMU_ERRNO"));
        return -1;
    }
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
