// SPDX-License-Identifier: Apache-2.0
// lost_exec FORKS PROGRAM: says "ready", waits for a line, forks a child, and then others that end at once, so many
// that the records of a stopped recorder are lost; after that the first one runs PROGRAM. Says "done" when that runs,
// and waits for its end.
// lost_exec: fills memory at each line.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20, FORK_BYTES = 256 << 10 };

static void wait_for_a_line(void)
{
    char line[16];
    if (!fgets(line, sizeof line, stdin))
        exit(1);
}

__attribute__((noinline)) static void fill_at_last(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t at = 0; memory != MAP_FAILED && at < bytes; at += 4096)
        ((volatile char *)memory)[at] = 1;
}

static void fork_one(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        fill_at_last(FORK_BYTES);
        syscall(SYS_exit_group, 0); // _exit is the recorder's library's, which says farewell
    }
    if (pid < 0 || waitpid(pid, NULL, 0) != pid)
        exit(2);
}

// The child execs when the write end of gate is closed; the exec closes the write end of running.
static pid_t fork_waiting(const char *program, int gate[2], int running[2])
{
    char byte;
    pid_t pid = pipe2(gate, O_CLOEXEC) < 0 || pipe2(running, O_CLOEXEC) < 0 ? -1 : fork();
    if (pid < 0)
        exit(3);
    if (pid == 0) {
        close(gate[1]);
        if (read(gate[0], &byte, 1) == 0)
            execl(program, program, (char *)NULL);
        _exit(4);
    }
    close(running[1]);
    return pid;
}

static void say(const char *word)
{
    puts(word);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char byte;
    int status = 0, gate[2], running[2];
    setvbuf(stdin, NULL, _IONBF, 0); // what is meant for PROGRAM is not read here
    if (argc == 3) {
        say("ready");
        wait_for_a_line();
        pid_t pid = fork_waiting(argv[2], gate, running);
        for (int i = atoi(argv[1]); i > 0; i--)
            fork_one();
        close(gate[1]);
        if (read(running[0], &byte, 1) != 0)
            return 5;
        say("done");
        return waitpid(pid, &status, 0) == pid ? status : 6;
    }
    while (read(STDIN_FILENO, &byte, 1) == 1)
        fill_at_last(BYTES);
    return 0;
}
