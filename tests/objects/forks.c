// SPDX-License-Identifier: Apache-2.0
// A child that no fork handler saw (a bare system call) allocates while its parent does: it must not write to its
// parent's ring. Prints how many blocks the parent made.
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 2000, BYTES = 100000 };

static void allocate(int count)
{
    for (int i = 0; i < count; i++) {
        volatile char *block = malloc(BYTES);
        if (block)
            block[i] = 1;
        free((void *)block);
    }
}

int main(void)
{
    pid_t child = (pid_t)syscall(SYS_fork);
    allocate(BLOCKS);
    if (child == 0)
        syscall(SYS_exit_group, 0);
    waitpid(child, NULL, 0);
    printf("%d\n", BLOCKS);
    return 0;
}
