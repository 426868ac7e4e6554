// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/cmd_place.h"

#include <string.h>

#include "core/text/diag.h"
#include "profiler/launch/launch.h"
#include "profiler/launch/preload_environment.h"
#include "profiler/recorder/supervise.h"

static int place_once(const struct target *target, char **arguments, const struct launch_signals *signals,
                      const struct preload_environment *environment, struct supervision *supervision)
{
    struct launch launch;
    int status = launch_prepare(&launch, target, arguments, signals, environment->variables);
    if (status < 0) {
        diag_error("ulimit -u, or free memory", "cannot start a process: %s", strerror(-status));
        return DIAG_EXIT_FAILED;
    }
    status = launch_start(&launch, target);
    if (status != 0)
        return status;
    status = supervise_wait(supervision, launch.pid);
    if (status < 0)
        diag_error("the program goes on", "watching the program failed: %s", strerror(-status));
    return status < 0 ? DIAG_EXIT_FAILED : 0;
}

int cmd_place_run(const struct run_options *options, const struct target *target, const struct launch_signals *signals)
{
    struct preload_environment environment;
    struct supervision worst = {0};
    int status = preload_environment_make(&environment, target, NULL, options->placing);
    if (status < 0) {
        diag_error("run it without --place", "%s cannot be placed: the preload library is not found", target->path);
        return DIAG_EXIT_FAILED;
    }
    for (int repeat = 1; repeat <= options->repeats; repeat++) {
        struct supervision supervision = {0};
        placing_reset(options->placing);
        status = place_once(target, options->arguments, signals, &environment, &supervision);
        if (status != 0)
            return status;
        if (!options->quiet)
            placing_report(options->placing);
        if (worst.wait_status == 0)
            worst = supervision;
        if (supervise_was_ended(&supervision))
            break;
    }
    return supervise_repeat_end(&worst);
}
