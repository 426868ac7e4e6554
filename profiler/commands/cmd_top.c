// SPDX-License-Identifier: Apache-2.0
// top: a process of its own reads counters and /proc at an interval; the Python program makes a screen or text of that.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/events/event_plan.h"
#include "core/system/clock.h"
#include "core/system/sysfile.h"
#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/commands/usage.h"
#include "profiler/install/reports_program.h"
#include "profiler/live/live.h"

static const char usage[] =
    "usage: numaprof top [-p PID[,PID...] | --cgroup PATH | -a] [options]\n"
    "A live view of processes, threads and nodes: remote share, bytes/s from DRAM, page placement, CPU time.\n"
    "\n"
    "  -p, --pid LIST          process ids; their child processes belong to them\n"
    "      --cgroup PATH       the processes of a control group\n"
    "  -a, --all               all processes that you may observe                 [the default]\n"
    "      --interval SECONDS  between two readings                               [2]\n"
    "      --once              print one reading as plain text; output to a file or pipe is plain text too\n"
    "      --sort COLUMN       cpu, remote, share, migrated, memory or name       [cpu]\n"
    "      --node NODE         only processes and threads on this node\n"
    "      --events LIST       request classes to count, see numaprof events      "
    "[demand_rd,demand_rfo,prefetch,retired]\n"
    "  -h, --help              this text\n"
    "\n"
    "Nothing is stopped, traced or pinned. Unknown values are n/a. In the view, ? explains the keys.\n"
    "The exit status is 0; 125: numaprof failed, 126: a process cannot be measured, 127: no such process.\n";

struct top_options {
    struct live_request request;
    const char *pids, *group, *sort, *node;
    bool once;
};

static int top_interval(struct top_options *options, const char *text)
{
    enum { HOUR_S = 3600 };
    char *end, clean[64];
    double seconds = strtod(text, &end);
    if (end == text || *end || !isfinite(seconds) || seconds < 0.1 || seconds > HOUR_S) {
        diag_error("see numaprof top --help", "--interval %s: must be seconds from 0.1 to %d",
                   diag_clean(clean, sizeof clean, text), HOUR_S);
        return -EINVAL;
    }
    options->request.interval_ns = (uint64_t)(seconds * (double)CLOCK_S);
    return 0;
}

static int top_check(const struct top_options *options)
{
    char clean[256];
    if (options->request.events && !event_plan_knows_topics(options->request.events)) {
        diag_error("numaprof events shows what this CPU counts", "--events %s: not a list of classes such as %s",
                   diag_clean(clean, sizeof clean, options->request.events), event_plan_all_topics);
        return DIAG_EXIT_FAILED;
    }
    if (!!options->pids + !!options->group + options->request.all > 1) {
        diag_error("see numaprof top --help", "-p, --cgroup and -a: choose one of them");
        return DIAG_EXIT_FAILED;
    }
    return -1;
}

// Returns -1 to go on, or the exit status to leave with.
static int top_parse(struct top_options *options, int argc, char **argv)
{
    enum { CGROUP = 1000, INTERVAL, ONCE, SORT, NODE, EVENTS };
    static const struct option known[] = {
        {"pid", required_argument, NULL, 'p'},         {"cgroup", required_argument, NULL, CGROUP},
        {"all", no_argument, NULL, 'a'},               {"interval", required_argument, NULL, INTERVAL},
        {"once", no_argument, NULL, ONCE},             {"sort", required_argument, NULL, SORT},
        {"node", required_argument, NULL, NODE},       {"events", required_argument, NULL, EVENTS},
        {"help", no_argument, NULL, 'h'},              {0},
    };
    *options = (struct top_options){.request.interval_ns = 2 * CLOCK_S};
    opterr = 0;
    for (int code; (code = getopt_long(argc, argv, ":p:ah", known, NULL)) != -1;) {
        switch (code) {
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'p':
            options->pids = optarg;
            break;
        case 'a':
            options->request.all = true;
            break;
        case CGROUP:
            options->group = optarg;
            break;
        case INTERVAL:
            if (top_interval(options, optarg) < 0)
                return DIAG_EXIT_FAILED;
            break;
        case ONCE:
            options->once = true;
            break;
        case SORT:
            options->sort = optarg;
            break;
        case NODE:
            options->node = optarg;
            break;
        case EVENTS:
            options->request.events = optarg;
            break;
        default:
            return usage_bad_option(argv, code);
        }
    }
    if (optind < argc)
        return usage_bad_argument(argv, argv[optind]);
    return top_check(options);
}

// --- the reader of counters

// False: nobody reads any more.
static bool top_wait(int fd, uint64_t until)
{
    struct pollfd reader = {.fd = fd}; // POLLERR: the other end is closed
    for (uint64_t now; (now = clock_now()) < until;)
        if (poll(&reader, 1, (int)((until - now + CLOCK_MS - 1) / CLOCK_MS)) > 0)
            return false;
    return true;
}

static int top_read(const struct live_request *request, int fd)
{
    struct live live;
    FILE *file = fdopen(fd, "w");
    signal(SIGPIPE, SIG_IGN);
    if (!file)
        return DIAG_EXIT_FAILED;
    int status = live_open(&live, request, file);
    if (status < 0)
        diag_error(NULL, "cannot read this machine: %s", strerror(-status));
    for (uint64_t next = clock_now(); status == 0 && live_sample(&live);) {
        next += request->interval_ns;
        if (!top_wait(fd, next))
            break;
    }
    live_close(&live);
    fclose(file);
    return status < 0 ? DIAG_EXIT_FAILED : 0;
}

// --- the view

static int top_show(const struct top_options *options, int fd)
{
    char stream[16], interval[32], program[PATH_MAX];
    const char *words[24] = {"numaprof-reports", "top", "--stream", stream, "--interval", interval};
    size_t count = 6;
    bool has_program = sysfile_link("", program, sizeof program, "/proc/self/exe") > 0; // that key r starts
    snprintf(stream, sizeof stream, "%d", fd);
    snprintf(interval, sizeof interval, "%g", (double)options->request.interval_ns / (double)CLOCK_S);
    const char *const optional[][2] = {
        {"--pids", options->pids}, {"--cgroup", options->group}, {"--sort", options->sort}, {"--node", options->node},
        {"--program", has_program ? program : NULL}};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        for (size_t j = 0; optional[i][1] && j < 2; j++)
            words[count++] = optional[i][j];
    if (options->once)
        words[count++] = "--once";
    int status = reports_program_exec((char *const *)words);
    diag_error("install Python 3.9 or newer, or run make reports", "cannot start numaprof-reports, which shows it: %s",
               strerror(-status));
    return DIAG_EXIT_FAILED;
}

// The pipe must not get the number of a standard stream that is closed.
static void top_fill_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static int top_run(const struct top_options *options)
{
    int ends[2];
    top_fill_streams();
    if (pipe(ends) < 0) {
        diag_error("ulimit -n", "cannot make a pipe: %s", strerror(errno));
        return DIAG_EXIT_FAILED;
    }
    pid_t reader = fork();
    if (reader < 0) {
        diag_error("ulimit -u, or free memory", "cannot start a process: %s", strerror(errno));
        return DIAG_EXIT_FAILED;
    }
    close(ends[reader == 0 ? 0 : 1]);
    return reader == 0 ? top_read(&options->request, ends[1]) : top_show(options, ends[0]);
}

int cmd_top(int argc, char **argv)
{
    struct top_options options;
    struct running running = {0};
    int status = top_parse(&options, argc, argv);
    if (status >= 0)
        return status;
    options.request.running = &running;
    if (options.group)
        status = running_find_group(&running, options.group);
    else if (options.pids)
        status = running_find(&running, options.pids);
    else
        options.request.all = true;
    status = status > 0 ? status : top_run(&options);
    running_free(&running);
    return status;
}
