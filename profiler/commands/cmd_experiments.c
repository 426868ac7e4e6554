// SPDX-License-Identifier: Apache-2.0
// sweep, policies and try: many runs of one program, which the Python program counts and compares. It needs to know
// where this program is, to record each run; and `policies --under` is how a run gets its placement.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/launch/memory_policy.h"

static const char experiments_program[] = "NUMAPROF_PROGRAM"; // reports/numaprof/experiments/run_once.py reads it

int cmd_experiments_hand_over(int argc, char **argv)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        setenv(experiments_program, self, 1);
    }
    return cmd_reports(argc, argv);
}

int cmd_sweep(int argc, char **argv)
{
    return cmd_experiments_hand_over(argc, argv);
}

int cmd_try(int argc, char **argv)
{
    return cmd_experiments_hand_over(argc, argv);
}

// policies --under PLACEMENT [--] PROGRAM [ARGUMENT...]
static int experiments_under(char **argv)
{
    struct memory_policy placement;
    char clean[256];
    const char *what;
    char **program = argv[2] && argv[3] && strcmp(argv[3], "--") == 0 ? argv + 4 : argv[2] ? argv + 3 : argv + 2;
    if (!argv[2] || !*program) {
        diag_error("see numaprof policies --help", "policies --under: needs a placement and a program");
        return DIAG_EXIT_FAILED;
    }
    diag_clean(clean, sizeof clean, argv[2]);
    if (memory_policy_parse(&placement, argv[2]) < 0) {
        diag_error("write it like local, interleave:0-1, bind:1 or bind:1@0-3", "--under: \"%s\" is not a placement",
                   clean);
        return DIAG_EXIT_FAILED;
    }
    int status = memory_policy_apply(&placement, &what);
    if (status < 0) {
        diag_error(status == -EINVAL ? "numaprof topology shows what there is and what is allowed"
                                     : "a container's filter may forbid it: docker run --cap-add SYS_NICE ...",
                   "--under %s: %s: %s", clean, what, strerror(-status));
        return DIAG_EXIT_FAILED;
    }
    execvp(*program, program);
    status = errno;
    diag_error("check the name", "cannot run %s: %s", diag_clean(clean, sizeof clean, *program), strerror(status));
    return status == ENOENT ? DIAG_EXIT_NOT_FOUND : DIAG_EXIT_CANNOT_RUN;
}

int cmd_policies(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--under") == 0)
        return experiments_under(argv);
    return cmd_experiments_hand_over(argc, argv);
}
