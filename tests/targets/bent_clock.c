// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD, as libfaketime: clocks run ten times as fast, from a day ago.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    enum { DAY = 86400, FASTER = 10 };
    long status = syscall(SYS_clock_gettime, clock, now);
    now->tv_sec = now->tv_sec * FASTER - DAY;
    return (int)status;
}
