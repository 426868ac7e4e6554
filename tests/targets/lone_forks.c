// SPDX-License-Identifier: Apache-2.0
// lone_forks CHILDREN KIB: says "ready", waits for a line, forks children, one after the other; each prints its number,
// fills KIB and ends without a word to anybody. The children have the first of its CPUs, where nothing happens later;
// it goes on on the last. Says "done" and waits for another line.
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t bytes;

static void child(void)
{
    printf("%d\n", (int)getpid());
    fflush(stdout);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        memset(memory, 1, bytes);
    syscall(SYS_exit_group, 0); // _exit is the recorder's library's, which says farewell
}

static void move_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int end_cpu(const cpu_set_t *cpus, bool is_last)
{
    for (int i = 0; i < CPU_SETSIZE; i++) {
        int cpu = is_last ? CPU_SETSIZE - 1 - i : i;
        if (CPU_ISSET(cpu, cpus))
            return cpu;
    }
    return 0;
}

static void say(const char *word)
{
    puts(word);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[16];
    bytes = (argc > 2 ? strtoul(argv[2], NULL, 10) : 64) << 10;
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    say("ready");
    if (!fgets(line, sizeof line, stdin))
        return 1;
    move_to(end_cpu(&cpus, false));
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
        pid_t pid = fork();
        if (pid == 0)
            child();
        if (pid < 0 || waitpid(pid, NULL, 0) != pid)
            return 1;
    }
    move_to(end_cpu(&cpus, true));
    say("done");
    return fgets(line, sizeof line, stdin) ? 0 : 1;
}
