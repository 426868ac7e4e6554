// SPDX-License-Identifier: Apache-2.0
// reader: handles INT and TERM as a shell or an editor does, by saying so. "end N" makes it exit with N, as does the
// end of its input with 0; any other line is read back.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(125);
}

static void caught(int number)
{
    int kept_errno = errno;
    say(number == SIGINT ? "caught\n" : "not yet\n");
    errno = kept_errno;
}

int main(void)
{
    struct sigaction action = {.sa_handler = caught, .sa_flags = SA_RESTART};
    char line[256], answer[300];
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    snprintf(answer, sizeof answer, "ready %d\n", getpid());
    say(answer);
    for (;;) {
        ssize_t n = read(STDIN_FILENO, line, sizeof line - 1);
        if (n == 0)
            return 0;
        if (n < 0)
            continue; // stopped and continued
        line[n] = '\0';
        if (strncmp(line, "end ", 4) == 0)
            return atoi(line + 4);
        snprintf(answer, sizeof answer, "read %s", line);
        say(answer);
    }
}
