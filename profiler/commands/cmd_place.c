// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/cmd_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "collectors/protocol/channel.h"
#include "core/text/diag.h"
#include "profiler/install/preload_file.h"
#include "profiler/launch/launch.h"
#include "profiler/recorder/supervise.h"

struct place_environment {
    char preload[2 * PATH_MAX], library[PATH_MAX + 32];
    char *variables[5];
};

static int place_make_environment(struct place_environment *e, struct placing *placing, const struct target *target)
{
    char library[PATH_MAX];
    const char *others = getenv("LD_PRELOAD");
    if (preload_file_find(library, sizeof library) < 0 || strpbrk(library, ": "))
        return -ENOENT;
    if (target->kind == ELF_KIND_OTHER_LIBC || target->kind == ELF_KIND_FOREIGN || target->kind == ELF_KIND_STATIC ||
        target->kind == ELF_KIND_ASAN)
        return -ENOEXEC;
    snprintf(e->preload, sizeof e->preload, "LD_PRELOAD=%s%s%s", library, others && *others ? ":" : "",
             others ? others : "");
    snprintf(e->library, sizeof e->library, CHANNEL_PRELOAD_ENVIRONMENT "=%s", library);
    e->variables[0] = e->preload;
    e->variables[1] = e->library;
    e->variables[2] = placing->file;
    e->variables[3] = placing->shared;
    return 0;
}

static int place_once(const struct target *target, char **arguments, const struct launch_signals *signals,
                      const struct place_environment *environment, struct supervision *supervision)
{
    struct launch launch;
    int status = launch_prepare(&launch, target, arguments, signals, environment->variables);
    if (status < 0) {
        diag_error("ulimit -u, or free memory", "cannot start a process: %s", strerror(-status));
        return DIAG_EXIT_FAILED;
    }
    status = launch_go(&launch);
    if (status < 0) {
        waitpid(launch.pid, NULL, 0);
        diag_error("check the file", "%s cannot be run: %s", target->path, strerror(-status));
        return status == -ENOENT ? DIAG_EXIT_NOT_FOUND : DIAG_EXIT_CANNOT_RUN;
    }
    status = supervise_wait(supervision, launch.pid);
    if (status < 0)
        diag_error("the program goes on", "watching the program failed: %s", strerror(-status));
    return status < 0 ? DIAG_EXIT_FAILED : 0;
}

int cmd_place_run(const struct run_options *options, const struct target *target, const struct launch_signals *signals)
{
    struct place_environment environment = {0};
    struct supervision worst = {0};
    int status = place_make_environment(&environment, options->placing, target);
    if (status < 0) {
        diag_error("run it without --place", "%s cannot be placed: %s", target->path,
                   status == -ENOENT ? "the preload library is not found" : "it cannot load the preload library");
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
