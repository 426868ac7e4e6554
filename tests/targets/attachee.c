// SPDX-License-Identifier: Apache-2.0
// A program to attach to: fills 16 MiB of its own, says "ready", and does what each line on its input says:
// thread: a thread starts, fills 4 MiB that were just mapped, and stays; start, hundred: threads that fill nothing;
// fork: a child fills 4 MiB and ends; exec: runs itself again; touch: the main thread fills 4 MiB; share: two children
// each fill a half of 8 MiB of shared memory, and end; elsewhere: the same, each through a mapping at its own address;
// static: fills 4 MiB of a variable; compile: makes code and tells its name in perf-PID.map; compiled: runs that code,
// which fills 4 MiB; title: writes one over its arguments; leave: the main thread ends, another one does what comes
// then; end.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EARLY = 16 << 20, LATE = 4 << 20 };

char early[EARLY];
char late_variable[LATE] = {1}; // in .data: no huge page of early reaches into it
static char **arguments;

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

// With a file the child maps views of its own until one is at another address than those of other children.
static void fill_half(char *both, int child, int file)
{
    for (int views = 0; file >= 0 && views <= child; views++)
        both = mmap(NULL, 2 * LATE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (both == MAP_FAILED)
        _exit(1);
    memset(both + child * LATE, 1, LATE);
    _exit(0);
}

// file: memory to share; -1: anonymous memory.
static void share(int file)
{
    char *both = mmap(NULL, 2 * LATE, PROT_READ | PROT_WRITE, MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
    if (both == MAP_FAILED)
        exit(1);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0)
            fill_half(both, i, file);
        waitpid(child, NULL, 0);
    }
}

static void share_elsewhere(void)
{
    int file = memfd_create("elsewhere", 0);
    if (file < 0 || ftruncate(file, 2 * LATE) < 0)
        exit(1);
    share(file);
    close(file);
}

// mov byte [rdi], 1; add rdi, 4096; dec esi; jnz back; ret
static const unsigned char code[] = {0xc6, 0x07, 0x01, 0x48, 0x81, 0xc7, 0x00, 0x10, 0x00,
                                     0x00, 0xff, 0xce, 0x75, 0xf2, 0xc3};
static void (*compiled)(char *memory, int pages);

static void compile(void)
{
    char path[64];
    void *memory = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(path, "w");
    if (memory == MAP_FAILED || !map)
        exit(1);
    fprintf(map, "%lx %zx LEarly;::compiled()\n", (unsigned long)memory, sizeof code);
    fclose(map);
    compiled = (void (*)(char *, int))memcpy(memory, code, sizeof code);
}

static void run_compiled(void)
{
    enum { PAGE = 4096 };
    char *late = mmap(NULL, LATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (late == MAP_FAILED || !compiled)
        exit(1);
    compiled(late, LATE / PAGE);
}

static void *lead(void *main_thread);

static void leave(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, lead, (void *)pthread_self()) != 0)
        exit(1);
    pthread_exit(NULL);
}

static void serve(void)
{
    char line[64];
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
        else if (strcmp(line, "share\n") == 0)
            share(-1), say("share done");
        else if (strcmp(line, "elsewhere\n") == 0)
            share_elsewhere(), say("elsewhere done");
        else if (strcmp(line, "static\n") == 0)
            memset(late_variable, 1, LATE), say("static done");
        else if (strcmp(line, "compile\n") == 0)
            compile(), say("compile done");
        else if (strcmp(line, "compiled\n") == 0)
            run_compiled(), say("compiled done");
        else if (strcmp(line, "exec\n") == 0)
            execl("/proc/self/exe", arguments[0], "again", (char *)NULL);
        else if (strcmp(line, "title\n") == 0)
            strncpy(arguments[0], "server: /bin/attachee", strlen(arguments[0])), say("title done");
        else if (strcmp(line, "leave\n") == 0)
            leave();
        else if (strcmp(line, "end\n") == 0)
            break;
    }
}

static void *lead(void *main_thread)
{
    pthread_join((pthread_t)main_thread, NULL);
    say("leave done");
    serve();
    exit(0);
}

int main(int argc, char **argv)
{
    arguments = argv;
    fill_early();
    say(argc > 1 ? "exec done" : "ready");
    serve();
    return 0;
}
