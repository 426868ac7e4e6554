// SPDX-License-Identifier: Apache-2.0
#include "core/system/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_offset_ns; // of the process's time namespace: constant while the process lives
static int (*clock_get)(clockid_t, struct timespec *);

struct timespec clock_read(clockid_t clock)
{
    struct timespec now = {0};
    syscall(SYS_clock_gettime, clock, &now);
    return now;
}

void clock_use(int (*get)(clockid_t, struct timespec *))
{
    clock_get = get;
}

uint64_t clock_now(void)
{
    struct timespec now;
    if (!clock_get || clock_get(CLOCK_MONOTONIC, &now) != 0)
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)((int64_t)now.tv_sec * (int64_t)CLOCK_S + now.tv_nsec - clock_offset_ns);
}

// "monotonic  SECONDS  NANOSECONDS" (time_namespaces(7)): of the namespace in which children will be, which is the
// process's own but between unshare and exec.
void clock_read_namespace(void)
{
    char text[256];
    struct stat own, of_children;
    if (stat("/proc/self/ns/time", &own) < 0 || stat("/proc/self/ns/time_for_children", &of_children) < 0 ||
        own.st_ino != of_children.st_ino)
        return;
    int fd = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    char *at = strstr(text, "monotonic");
    if (!at)
        return;
    int64_t seconds = strtoll(at + strlen("monotonic"), &at, 10);
    clock_offset_ns = seconds * (int64_t)CLOCK_S + strtoll(at, NULL, 10);
}

void clock_utc(char *out, size_t size)
{
    const struct timespec now = clock_read(CLOCK_REALTIME);
    struct tm utc;
    if (!gmtime_r(&now.tv_sec, &utc) || strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        out[0] = '\0';
}
