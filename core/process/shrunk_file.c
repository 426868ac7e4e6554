// SPDX-License-Identifier: Apache-2.0
#include "core/process/shrunk_file.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// True if a page of zeros has taken the place of the lost page.
static bool shrunk_file_fill(const siginfo_t *info)
{
    const size_t page = (size_t)getpagesize();
    void *at = (void *)((uintptr_t)info->si_addr & ~(page - 1));
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    return info->si_code == BUS_ADRERR && mmap(at, page, PROT_READ, flags, -1, 0) != MAP_FAILED;
}

// A signal that a process sent becomes pending again, for the threads that still take it and at last for a signalfd,
// with its sender. The kernel accepts the information of kill(2) from the main thread only (do_rt_sigqueueinfo in
// kernel/signal.c), that of sigqueue(3) from all.
static void shrunk_file_pass_on(int number, const siginfo_t *info)
{
    siginfo_t queued = *info;
    if (syscall(SYS_rt_sigqueueinfo, getpid(), number, info) == 0)
        return;
    queued.si_code = SI_QUEUE;
    queued.si_value.sival_ptr = NULL;
    syscall(SYS_rt_sigqueueinfo, getpid(), number, &queued);
}

static void shrunk_file_handle(int number, siginfo_t *info, void *context)
{
    const int kept_errno = errno;
    const bool is_filled = shrunk_file_fill(info);
    errno = kept_errno;
    if (is_filled)
        return;
    if (info->si_code > 0) {
        signal(number, SIG_DFL); // the access is repeated, and ends the process
        return;
    }
    sigaddset(&((ucontext_t *)context)->uc_sigmask, number); // blocked in this thread from now on
    shrunk_file_pass_on(number, info);
}

void shrunk_file_tolerate(void)
{
    struct sigaction action = {.sa_sigaction = shrunk_file_handle, .sa_flags = SA_SIGINFO};
    sigset_t set;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL); // a blocked SIGBUS of an access ends the process all the same
}
