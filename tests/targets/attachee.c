// SPDX-License-Identifier: Apache-2.0
// A program to attach to: fills 16 MiB of its own, says "ready", and does what each line on its input says:
// thread: a thread starts, fills 4 MiB that were just mapped, and stays; start, hundred: threads that fill nothing; fork: a child
// fills 4 MiB and ends; exec: runs itself again; touch: the main thread fills 4 MiB; end.
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
    if (done) {
        fill_late();
        say((const char *)done);
    }
    for (;;)
        pause();
    return NULL;
}

// done: what the thread says when it has filled its memory; NULL: it fills none.
static void start_thread(char *done)
{
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    if (pthread_create(&thread, &small, work, done) != 0)
        exit(1);
    pthread_attr_destroy(&small);
}

static void start_hundred(void)
{
    for (int i = 0; i < 100; i++)
        start_thread(NULL);
    say("hundred done");
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
            start_thread("thread done");
        else if (strcmp(line, "start\n") == 0)
            start_thread(NULL), say("start done");
        else if (strcmp(line, "hundred\n") == 0)
            start_hundred();
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
