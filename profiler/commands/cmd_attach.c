// SPDX-License-Identifier: Apache-2.0
// attach: records processes that run already, and leaves them as they are.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/commands/usage.h"
#include "profiler/launch/run_options.h"
#include "profiler/output/output_name.h"
#include "profiler/recorder/recorder.h"
#include "profiler/recorder/supervise.h"
#include "profiler/running/running.h"

static const char usage[] =
    "usage: numaprof attach -p PID[,PID...] [options]\n"
    "       numaprof attach --cgroup PATH [options]\n"
    "Records processes that already run, with all their child processes; numaprof report reads the recording.\n"
    "\n"
    "  -p, --pid LIST          process ids; their child processes belong to them\n"
    "      --cgroup PATH       the processes of a control group, now and later\n"
    "      --duration SECONDS  stop after SECONDS                                 [until Ctrl-C, or until they end]\n"
    "  -o, --output PATTERN    the recording; %p pid, %h host, %q{VAR} variable   [PROGRAM.PID.numaprof]\n"
    "      --interval MS       step of the time line                              [100]\n"
    "      --events LIST       request classes to count, see numaprof events      "
    "[demand_rd,demand_rfo,prefetch,retired]\n"
    "      --kernel            also count the kernel's work for them (needs privilege)\n"
    "      --without WHAT      leave out counters, faults or pages (may be repeated)\n"
    "  -q, --quiet             print errors only\n"
    "  -h, --help              this text\n"
    "\n"
    "The processes are not stopped, traced or pinned. Memory that was placed before has no first touch in the "
    "recording.\n"
    "The exit status is 0 with a recording; 125: numaprof failed, 126: a process cannot be recorded, 127: no such "
    "process.\n";

struct attach_request {
    struct run_options options;
    const char *pids, *group;
    uint64_t duration_ms;
};

static int attach_seconds(const char *text, uint64_t *ms)
{
    enum { MONTH_S = 31 * 24 * 3600 };
    char *end, clean[64];
    double seconds = strtod(text, &end);
    if (end != text && !*end && isfinite(seconds) && seconds >= 0.001 && seconds <= MONTH_S) {
        *ms = (uint64_t)llround(seconds * 1000);
        return 0;
    }
    diag_error("see numaprof attach --help", "--duration %s: must be seconds from 0.001 to %d",
               diag_clean(clean, sizeof clean, text), MONTH_S);
    return -EINVAL;
}

// Returns -1 to go on, or the exit status to leave with.
static int attach_parse(struct attach_request *request, int argc, char **argv)
{
    enum { DURATION = 1000, CGROUP };
    static const struct option options[] = {
        {"pid", required_argument, NULL, 'p'},
        {"cgroup", required_argument, NULL, CGROUP},
        {"duration", required_argument, NULL, DURATION},
        {"output", required_argument, NULL, 'o'},
        {"interval", required_argument, NULL, RUN_OPTION_INTERVAL},
        {"events", required_argument, NULL, RUN_OPTION_EVENTS},
        {"kernel", no_argument, NULL, RUN_OPTION_KERNEL},
        {"without", required_argument, NULL, RUN_OPTION_WITHOUT},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    *request =
        (struct attach_request){.options = {.interval_ms = RUN_OPTIONS_INTERVAL_MS, .repeats = 1, .pin = RUN_PIN_NONE}};
    opterr = 0;
    for (int code; (code = getopt_long(argc, argv, ":p:o:qh", options, NULL)) != -1;) {
        int status = 0;
        if (code == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (code == '?' || code == ':')
            return usage_bad_option(argv, code);
        if (code == 'p')
            request->pids = optarg;
        else if (code == CGROUP)
            request->group = optarg;
        else if (code == DURATION)
            status = attach_seconds(optarg, &request->duration_ms);
        else
            status = run_options_set(&request->options, code);
        if (status < 0)
            return DIAG_EXIT_FAILED;
    }
    if (optind < argc)
        return usage_bad_argument(argv, argv[optind]);
    if (!request->pids == !request->group) {
        diag_error("numaprof attach -p PID, or numaprof attach --cgroup PATH",
                   request->pids ? "-p and --cgroup are given: choose one of them" : "no process given");
        return DIAG_EXIT_FAILED;
    }
    return -1;
}

static int attach_record(struct recorder *recorder, const struct attach_request *request, const char *path)
{
    struct supervision supervision;
    const struct run_options *options = &request->options;
    int status = recorder_attach(recorder, path, options->running->processes[0].pid);
    if (status != 0)
        return status;
    recorder_start(recorder);
    if (!options->quiet && request->duration_ms == 0)
        diag_info("recording; Ctrl-C ends that");
    status = supervise_running(&supervision, recorder, request->duration_ms);
    if (status < 0)
        diag_error("the recording holds what came before", "watching the processes failed: %s", strerror(-status));
    int written = recorder_finish(recorder, NULL, supervision.end);
    if (written < 0)
        diag_error(output_name_remedy(written), "writing %s failed: %s; it holds what was written before", path,
                   strerror(-written));
    else if (!options->quiet)
        diag_info("recorded to %s; read it with: numaprof report %s", path, path);
    return status < 0 || written < 0 ? DIAG_EXIT_FAILED : 0;
}

static int attach_run(const struct attach_request *request)
{
    const struct run_options *options = &request->options;
    const struct running *running = options->running;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct launch_signals signals;
    char path[PATH_MAX];
    if (output_name_for(path, sizeof path,
                        &(struct output_name){.pattern = options->output, .program = running->arguments[0],
                                              .pid = running->processes[0].pid, .repeat = 1, .repeats = 1}) < 0)
        return DIAG_EXIT_FAILED;
    struct recorder *recorder = recorder_new(options, &running->target, 1);
    if (!recorder) {
        diag_error(NULL, "out of memory");
        return DIAG_EXIT_FAILED;
    }
    supervise_block(&signals);
    sigaction(SIGXFSZ, &ignore, NULL); // a limit for files is to fail a write, not to kill us
    int status = recorder_open(recorder);
    if (status == 0)
        status = attach_record(recorder, request, path);
    recorder_close(recorder);
    if (status == DIAG_EXIT_NOT_FOUND)
        unlink(path); // nothing is in it: the processes ended while we attached
    return status;
}

int cmd_attach(int argc, char **argv)
{
    struct attach_request request;
    struct running running;
    int status = attach_parse(&request, argc, argv);
    if (status >= 0)
        return status;
    status = request.group ? running_find_group(&running, request.group) : running_find_family(&running, request.pids);
    request.options.running = &running;
    request.options.arguments = running.arguments;
    if (status == 0)
        status = attach_run(&request);
    running_free(&running);
    return status;
}
