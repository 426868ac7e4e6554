// SPDX-License-Identifier: Apache-2.0
// small_stack BYTES ACTION...: each action in a thread of its own with a painted stack of that size above an
// unmapped page. Prints "ACTION: N" for each: bytes of the stack that were used, the C library's own among them.
// ACTION@signal: in a handler on an alternate stack of that size. Status 1: an action failed.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

extern char **environ;

enum { PAINT = 0xA5, PAGE = 4096, MAIN_BYTES = 1 << 16 };

static char *const words[] = {"true", NULL};

static bool ended_well(pid_t pid)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool act_nothing(void)
{
    return true;
}

static bool act_malloc(void)
{
    char *memory = malloc(1 << 20);
    if (memory)
        memory[0] = 1;
    memory = realloc(memory, 2 << 20);
    free(memory);
    return true;
}

static bool act_map(void)
{
    void *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return munmap(memory, 1 << 20) == 0;
}

static bool act_execve(void)
{
    return execve("/no/such/program", words, environ) < 0 && errno == ENOENT;
}

static bool act_execvp(void)
{
    return execvp("no-such-program", words) < 0 && errno == ENOENT;
}

static bool act_vfork(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execve("/bin/true", words, environ);
        _exit(1);
    }
    return ended_well(pid);
}

static bool act_fork(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        execvp("true", words);
        _exit(1);
    }
    return ended_well(pid);
}

static bool act_spawn(void)
{
    pid_t pid;
    return posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ) == 0 && ended_well(pid);
}

static bool act_spawnp(void)
{
    pid_t pid;
    return posix_spawnp(&pid, "true", NULL, NULL, words, environ) == 0 && ended_well(pid);
}

static bool act_affinity(void)
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 && sched_setaffinity(0, sizeof mask, &mask) == 0;
}

static const struct {
    const char *name;
    bool (*run)(void);
} actions[] = {
    {"nothing", act_nothing}, {"malloc", act_malloc}, {"map", act_map},     {"execve", act_execve},
    {"execvp", act_execvp},   {"vfork", act_vfork},   {"fork", act_fork},   {"spawn", act_spawn},
    {"spawnp", act_spawnp},   {"affinity", act_affinity},
};

static bool (*action)(void), succeeded;

static void *in_thread(void *unused)
{
    (void)unused;
    succeeded = action();
    return NULL;
}

static void in_handler(int number)
{
    (void)number;
    succeeded = action();
}

static void *on_alternate_stack(void *stack)
{
    sigaltstack(stack, NULL);
    raise(SIGUSR1);
    return NULL;
}

static size_t run(bool in_signal, size_t bytes)
{
    char *memory = mmap(NULL, PAGE + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, PAGE, PROT_NONE);
    memset(memory + PAGE, PAINT, bytes);
    stack_t alternate = {.ss_sp = memory + PAGE, .ss_size = bytes};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (in_signal)
        pthread_attr_setstacksize(&attributes, MAIN_BYTES);
    else
        pthread_attr_setstack(&attributes, memory + PAGE, bytes);
    pthread_t thread;
    succeeded = false;
    if (pthread_create(&thread, &attributes, in_signal ? on_alternate_stack : in_thread, &alternate) != 0)
        return 0;
    pthread_join(thread, NULL);
    size_t unused = 0;
    while (unused < bytes && (unsigned char)memory[PAGE + unused] == PAINT)
        unused++;
    munmap(memory, PAGE + bytes);
    return bytes - unused;
}

int main(int argc, char **argv)
{
    struct sigaction handler = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &handler, NULL);
    size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : PTHREAD_STACK_MIN;
    int failed = 0;
    for (int i = 2; i < argc; i++) {
        size_t length = strcspn(argv[i], "@");
        action = NULL;
        for (size_t j = 0; j < sizeof actions / sizeof *actions; j++)
            if (strncmp(argv[i], actions[j].name, length) == 0 && actions[j].name[length] == '\0')
                action = actions[j].run;
        if (!action)
            return 2;
        size_t used = run(argv[i][length] != '\0', bytes);
        printf("%s: %zu\n", argv[i], used);
        fflush(stdout);
        failed |= !succeeded;
    }
    return failed;
}
