// SPDX-License-Identifier: Apache-2.0
#include "profiler/doctor/doctor_gate.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int doctor_gate(long system_call)
{
    pid_t child = fork();
    if (child < 0)
        return errno;
    if (child == 0)
        _exit(syscall(system_call, 0L, 0L, 0L, 0L, 0L, 0L) < 0 ? errno : 0);
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    if (WIFSIGNALED(status))
        return DOCTOR_GATE_KILLS;
    // EFAULT is the kernel's word for the missing attributes; EACCES is its word for perf_event_paranoid.
    int error = WEXITSTATUS(status);
    return error == EFAULT || error == EACCES ? 0 : error;
}
