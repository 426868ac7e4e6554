// SPDX-License-Identifier: Apache-2.0
// A program to attach to: fills 16 MiB of its own, says "ready", and does what each line on its input says:
// thread: a thread starts, fills 4 MiB that were just mapped, and stays; fork: a child does that and ends; exec: runs itself
// again; touch: the main thread fills 4 MiB; end.
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EARLY = 16 << 20, LATE = 4 << 20 };

char early[EARLY];

static void say(const char *word)
{
    puts(word);
    fflush(stdout);
}

static void fill_early(void)
{
    memset(early, 1, sizeof early);
}

static void fill_late(void)
{
    char *late = mmap(NULL, LATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (late == MAP_FAILED)
        exit(1);
    memset(late, 1, LATE);
}

static void *work(void *done)
{
    fill_late();
    say(done);
    for (;;)
        pause();
    return NULL;
}

static void start_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, "thread done") != 0)
        exit(1);
}

static void start_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        fill_late();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    say("fork done");
}

int main(int argc, char **argv)
{
    char line[64];
    bool again = argc > 1;
    fill_early();
    say(again ? "exec done" : "ready");
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "thread\n") == 0)
            start_thread();
        else if (strcmp(line, "fork\n") == 0)
            start_child();
        else if (strcmp(line, "touch\n") == 0)
            fill_late(), say("touch done");
        else if (strcmp(line, "exec\n") == 0)
            execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        else if (strcmp(line, "end\n") == 0)
            break;
    }
    return 0;
}
