// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/process/regular_file.h"
#include "core/text/diag.h"

static bool launch_is_binary(const char *path)
{
    char start[4] = "";
    struct stat status;
    int fd = regular_file_open(path, 0, &status);
    ssize_t n = fd >= 0 ? read(fd, start, sizeof start) : -1;
    if (fd >= 0)
        close(fd);
    return n == sizeof start && memcmp(start, "\177ELF", sizeof start) == 0;
}

// In the child. A text without a known format is run by the shell, as execvp(3) does.
static int launch_exec(const struct target *target, char **arguments)
{
    execv(target->path, arguments);
    if (errno != ENOEXEC || launch_is_binary(target->path))
        return errno;
    size_t count = 0;
    while (arguments[count])
        count++;
    char **shell = calloc(count + 2, sizeof *shell);
    if (!shell)
        return ENOMEM;
    shell[0] = "/bin/sh";
    shell[1] = (char *)target->path;
    for (size_t i = 1; i < count; i++)
        shell[i + 1] = arguments[i];
    execv(shell[0], shell);
    return errno;
}

static void launch_restore_signals(const struct launch_signals *signals)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    if (signals->ignores_child)
        sigaction(SIGCHLD, &ignore, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

static void __attribute__((noreturn)) launch_child(int go, int failed, const struct target *target, char **arguments,
                                                   const struct launch_signals *signals, char *const *environment)
{
    char byte;
    ssize_t n;
    for (; *environment; environment++)
        putenv(*environment);
    while ((n = read(go, &byte, 1)) < 0 && errno == EINTR)
        continue;
    int error = ECANCELED;
    if (n == 1) { // else the recorder is gone or changed its mind
        launch_restore_signals(signals);
        error = launch_exec(target, arguments);
    }
    (void)!write(failed, &error, sizeof error);
    _exit(127);
}

int launch_prepare(struct launch *launch, const struct target *target, char **arguments,
                   const struct launch_signals *signals, char *const *environment)
{
    int go[2], failed[2];
    if (pipe2(go, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(failed, O_CLOEXEC) < 0) {
        int status = -errno;
        close(go[0]);
        close(go[1]);
        return status;
    }
    pid_t pid = fork();
    int status = pid < 0 ? -errno : 0;
    if (pid == 0) {
        close(go[1]);
        launch_child(go[0], failed[1], target, arguments, signals, environment);
    }
    close(go[0]);
    close(failed[1]);
    if (status < 0) {
        close(go[1]);
        close(failed[0]);
        return status;
    }
    *launch = (struct launch){.pid = pid, .go = go[1], .failed = failed[0]};
    return 0;
}

// 0, or -errno of the exec.
static int launch_go(struct launch *launch)
{
    int error = 0;
    ssize_t n = write(launch->go, "g", 1);
    close(launch->go);
    // The pipe closes at exec without a word, or brings the errno.
    while (n == 1 && (n = read(launch->failed, &error, sizeof error)) < 0 && errno == EINTR)
        n = 1;
    close(launch->failed);
    return n == sizeof error ? -error : 0;
}

int launch_start(struct launch *launch, const struct target *target)
{
    int status = launch_go(launch);
    if (status == 0)
        return 0;
    waitpid(launch->pid, NULL, 0);
    diag_error("check the file", "%s cannot be run: %s", target->path, strerror(-status));
    return status == -ENOENT ? DIAG_EXIT_NOT_FOUND : DIAG_EXIT_CANNOT_RUN;
}

void launch_cancel(struct launch *launch)
{
    close(launch->go);
    close(launch->failed);
    waitpid(launch->pid, NULL, 0);
}
