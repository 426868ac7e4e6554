// SPDX-License-Identifier: Apache-2.0
#include "profiler/install/reports_program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text/diag.h"
#include "profiler/install/installed_files.h"

static const char program[] = "numaprof-reports";

int reports_program_exec(char *const *words)
{
    char path[PATH_MAX];
    if (installed_files_find(path, sizeof path, program) == 0)
        execv(path, words);
    execvp(program, words);
    return -errno;
}

// Signals that other processes send to numaprof go to the report; those of the keyboard reach it by themselves.
static void reports_program_await(pid_t pid, int *status)
{
    const struct timespec slice = {.tv_sec = 1}; // SIGCHLD may be ignored: then none comes
    const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    sigset_t set, before;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&set, numbers[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    while (waitpid(pid, status, WNOHANG) == 0) {
        siginfo_t info;
        const int number = sigtimedwait(&set, &info, &slice);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(pid, number);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int reports_program_run(char *const *words, const char *recording, const sigset_t *mask)
{
    char clean[512];
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        status = reports_program_exec(words);
        diag_error("read it on a machine with numaprof's Python part: numaprof report FILE",
                   "recorded to %s, but %s cannot be started here: %s", diag_clean(clean, sizeof clean, recording),
                   program, strerror(-status));
        _exit(DIAG_EXIT_FAILED);
    }
    if (pid < 0) {
        diag_error("ulimit -u, or free memory", "cannot start a process: %s", strerror(errno));
        return DIAG_EXIT_FAILED;
    }
    reports_program_await(pid, &status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
