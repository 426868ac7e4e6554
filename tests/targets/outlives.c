// SPDX-License-Identifier: Apache-2.0
// outlives: says "ready" once it has threads, and at the next line of its input which CPUs it has, each by /proc: those
// of a new thread, of children of fork, exec and spawn, of main, and of a thread that computed all the time; after a
// line that begins with s, of that one also first.
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static _Atomic pid_t spinning;
static atomic_bool is_over;

static void *spin(void *unused)
{
    atomic_store(&spinning, (pid_t)syscall(SYS_gettid));
    while (!atomic_load(&is_over))
        continue;
    return unused;
}

static void print_cpus(const char *who, pid_t tid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", tid);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "Cpus_allowed_list:\t", 19) == 0)
            printf("%s %s", who, line + 19);
    if (status)
        fclose(status);
    fflush(stdout);
}

static void *as_thread(void *unused)
{
    print_cpus("thread", (pid_t)syscall(SYS_gettid));
    return unused;
}

static void run_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, as_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static void make_children(void)
{
    static char script[] = "grep Cpus_allowed_list /proc/self/status";
    char *arguments[] = {"sh", "-c", script, NULL};
    pid_t pid = fork();
    if (pid == 0) {
        print_cpus("fork", getpid());
        execv("/bin/sh", arguments);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    if (posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ) == 0)
        waitpid(pid, NULL, 0);
}

int main(void)
{
    pthread_t thread;
    char line[8];
    signal(SIGTERM, SIG_IGN);
    if (pthread_create(&thread, NULL, spin, NULL) != 0)
        return 1;
    while (atomic_load(&spinning) == 0)
        continue;
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (*line == 's') // before anything that the preload library could notice
        print_cpus("spinning", atomic_load(&spinning));
    run_thread();
    make_children();
    print_cpus("main", getpid());
    print_cpus("spinning", atomic_load(&spinning));
    atomic_store(&is_over, 1);
    pthread_join(thread, NULL);
    return 0;
}
