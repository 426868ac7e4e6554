// SPDX-License-Identifier: Apache-2.0
// What a recorder must do at least: rank_floor PROGRAM starts it and waits for its end, rank_floor PROGRAM FILE writes
// a recording of one row besides, by the recorder's own code.
#include <sys/wait.h>
#include <unistd.h>

#include "core/recording/recording.h"

static int start(char *program)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int count, char **arguments)
{
    struct recording *recording = NULL;
    if (count < 2 || (count > 2 && recording_create(&recording, arguments[2]) < 0))
        return 1;
    int status = start(arguments[1]);
    if (recording && (recording_put(recording, RECORDING_COMPLETE, 0, NULL) < 0 || recording_close(recording) < 0))
        return 1;
    return status;
}
