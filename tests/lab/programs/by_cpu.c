// SPDX-License-Identifier: Apache-2.0
// by_cpu EVENT PROGRAM [ARGUMENT...]: runs the program and prints what its threads counted on each CPU.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

static pid_t start_stopped(char **argv, int *go)
{
    int ends[2];
    char byte;
    if (pipe(ends) < 0)
        fail("pipe");
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1)
            execvp(argv[0], argv);
        fail(argv[0]);
    }
    close(ends[0]);
    *go = ends[1];
    return child;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("arguments");
    int fds[LAB_CPUS], cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), go, status;
    pid_t child = start_stopped(argv + 2, &go);
    struct perf_event_attr attr = event_encode(argv[1]);
    attr.inherit = 1;
    attr.enable_on_exec = 1;
    for (int cpu = 0; cpu < cpus; cpu++)
        if ((fds[cpu] = event_open(&attr, child, cpu, -1)) < 0)
            fail(argv[1]);
    if (write(go, "", 1) != 1 || waitpid(child, &status, 0) != child || status != 0)
        fail(argv[2]);
    for (int cpu = 0; cpu < cpus; cpu++)
        printf("count %d %lu\n", cpu, event_read(fds[cpu]));
    return 0;
}
