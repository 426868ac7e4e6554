// SPDX-License-Identifier: Apache-2.0
// masks COMMAND: prints how many CPUs it may use, as main before any thread, as a thread, in children that the thread
// makes in every way there is, and what COMMAND prints when a thread runs it; one word each.
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *command;

static void print_cpus(const char *who)
{
    cpu_set_t cpus;
    int known = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : -1;
    printf("%s %d\n", who, known);
    fflush(stdout);
}

static void print_name(const char *who)
{
    printf("%s ", who);
    fflush(stdout);
}

static void wait_for(pid_t pid)
{
    int status;
    if (waitpid(pid, &status, 0) < 0 || status != 0)
        printf("failed\n");
}

static void run(const char *who, pid_t (*start)(void))
{
    pid_t pid = start();
    if (pid == 0) {
        print_name(who);
        execlp("sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    wait_for(pid);
}

static void spawn(void)
{
    char *arguments[] = {"sh", "-c", (char *)command, NULL};
    pid_t pid;
    print_name("spawn");
    if (posix_spawnp(&pid, "sh", NULL, NULL, arguments, environ) == 0)
        wait_for(pid);
}

static void pipe_from(void)
{
    char line[64] = "";
    FILE *stream = popen(command, "r");
    if (stream && fgets(line, sizeof line, stream))
        printf("popen %s", line);
    if (stream)
        pclose(stream);
    fflush(stdout);
}

static void *thread(void *unused)
{
    (void)unused;
    print_cpus("thread");
    pid_t pid = fork();
    if (pid == 0) {
        print_cpus("forked");
        _exit(0);
    }
    wait_for(pid);
    run("fork", fork);
    run("vfork", vfork);
    spawn();
    print_name("system");
    if (system(command) != 0)
        printf("failed\n");
    pipe_from();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t id;
    command = argc > 1 ? argv[1] : "nproc";
    print_cpus("main");
    if (pthread_create(&id, NULL, thread, NULL) != 0)
        return 1;
    pthread_join(id, NULL);
    print_cpus("after");
    return 0;
}
