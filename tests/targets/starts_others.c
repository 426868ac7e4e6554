// SPDX-License-Identifier: Apache-2.0
// Waits until one of its threads is pinned, then starts children from there until one has all CPUs: 0; else 1.
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES = 5000 };

static int cpus(void)
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

static int child_cpus(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(cpus());
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static void *start_children(void *all)
{
    while (cpus() > 1)
        sched_yield();
    for (int i = 0; i < TRIES; i++)
        if (child_cpus() == *(int *)all)
            return NULL;
    return all;
}

int main(void)
{
    int all = cpus();
    void *failed = &all;
    pthread_t thread;
    if (all < 2 || pthread_create(&thread, NULL, start_children, &all) != 0)
        return 2;
    pthread_join(thread, &failed);
    return failed ? 1 : 0;
}
