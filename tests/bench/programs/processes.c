// SPDX-License-Identifier: Apache-2.0
// processes COUNT [PROGRAM]: that many children, one after the other; each runs the program, or ends at once.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
    for (long left = argc > 1 ? strtol(argv[1], NULL, 10) : 0; left > 0; left--) {
        pid_t child = fork();
        if (child < 0) {
            perror("fork");
            return 1;
        }
        if (child == 0 && argc > 2)
            execve(argv[2], (char *[]){argv[2], NULL}, environ);
        if (child == 0)
            _exit(argc > 2);
        int status;
        if (waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    return 0;
}
