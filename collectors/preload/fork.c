// SPDX-License-Identifier: Apache-2.0
// Children that are made without the handlers of pthread_atfork: they begin with the process's mask, too. The recorder
// learns of them from the kernel.
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/preload.h"

PRELOAD_EXPORT pid_t _Fork(void);

PRELOAD_EXPORT pid_t _Fork(void)
{
    __typeof__(&_Fork) next = PRELOAD_NEXT(_Fork);
    if (!next) { // before glibc 2.34
        errno = ENOSYS;
        return -1;
    }
    const pid_t pid = next();
    if (pid == 0)
        preload_slot_forked();
    return pid;
}

struct fork_start {
    int (*routine)(void *);
    void *argument;
};

static int fork_run(void *argument)
{
    const struct fork_start *start = argument; // a copy of the parent's stack
    preload_slot_forked();
    return start->routine(start->argument);
}

PRELOAD_EXPORT int clone(int (*routine)(void *), void *stack, int flags, void *argument, ...)
{
    __typeof__(&clone) next = PRELOAD_NEXT(clone);
    struct fork_start start = {.routine = routine, .argument = argument};
    void *a[3];
    va_list arguments;
    va_start(arguments, argument);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = va_arg(arguments, void *);
    va_end(arguments);
    if (!(flags & CLONE_VM) && routine)
        return next(fork_run, stack, flags, &start, a[0], a[1], a[2]);
    preload_unpin_self();
    const int pid = next(routine, stack, flags, argument, a[0], a[1], a[2]);
    preload_repin_self();
    return pid;
}

// True if the system call makes a child that has memory of its own. Others cannot return through a C function.
static bool fork_is_copy(long number, const long arguments[6])
{
    switch (number) {
#ifdef SYS_fork
    case SYS_fork:
        return true;
#endif
#ifndef __s390x__
    case SYS_clone:
        return !(arguments[0] & CLONE_VM);
#endif
    case SYS_clone3:
        return arguments[0] && !(((const struct clone_args *)arguments[0])->flags & CLONE_VM);
    default:
        return false;
    }
}

long preload_fork_call(long number, const long a[6])
{
    const bool is_copy = fork_is_copy(number, a);
    const long pid = preload_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (pid == 0 && is_copy)
        preload_slot_forked();
    return pid;
}
