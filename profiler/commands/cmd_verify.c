// SPDX-License-Identifier: Apache-2.0
// numaprof verify: whether the counters of this machine count what the event catalogue says.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collectors/perf/perf_context.h"
#include "collectors/perf/perf_explain.h"
#include "core/system/clock.h"
#include "core/system/emulated.h"
#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/commands/usage.h"
#include "profiler/measure/result/machine_cache.h"
#include "profiler/measure/survey/survey_interrupt.h"
#include "profiler/verify/result/verify_output.h"
#include "profiler/verify/result/verify_store.h"
#include "profiler/verify/verify_run.h"

enum { CMD_VERIFY_WRONG = 1 }; // exit status: an event counts something else than it should

static const char help[] =
    "usage: numaprof verify [--json]\n"
    "\n"
    "Runs known access patterns from the CPUs of every node on the memory of every node, and compares the counts of "
    "this\n"
    "CPU's events with the expected ones. Takes a few seconds on two nodes, 30 at most. Ctrl-C prints what there is.\n"
    "\n"
    "  --json   for programs; docs/verify.md describes it\n";

static void cmd_verify_show(void *to, const char *what, double share)
{
    (void)to;
    fprintf(stderr, "\r\033[K%3.0f %%  %s", 100 * share, what);
}

static void cmd_verify_machine(struct verify *verify, const struct topology *t, const struct counters *counters)
{
    struct utsname system;
    clock_utc(verify->at, sizeof verify->at);
    if (uname(&system) == 0)
        snprintf(verify->kernel, sizeof verify->kernel, "%s", system.release);
    snprintf(verify->cpu, sizeof verify->cpu, "%s", t->cpu.name);
    snprintf(verify->microcode, sizeof verify->microcode, "%s", t->cpu.microcode);
    snprintf(verify->uarch, sizeof verify->uarch, "%s", counters->cpu->name);
    emulated_name(verify->emulated, sizeof verify->emulated, "");
}

static void cmd_verify_store(const struct verify *verify, const struct topology *t)
{
    char path[PATH_MAX];
    machine_cache_tell(verify_store_save(verify, t, path, sizeof path), path, "the verification");
}

// Why nothing can be verified; false: something can.
static bool cmd_verify_cannot(const struct topology *t, const struct counters *counters)
{
    if (counters->error == -ENODATA) {
        diag_error(t->numa && t->node_count == 1 ? "no need: on one node no access can be remote"
                                                 : "docs/dev/adding-a-cpu.md tells how to add it",
                   "nothing can be verified: this CPU is not in the event catalogue");
        return true;
    }
    if (counters->usable > 0)
        return false;
    struct perf_context context;
    perf_context_read(&context, "");
    const struct perf_reason *reason = perf_explain(counters->error, &context);
    diag_error(reason->remedy, "nothing can be verified: %s", reason->cause);
    return true;
}

static int cmd_verify_run(struct verify *verify, const struct topology *t, const struct counters *counters,
                          struct survey_interrupt *interrupt)
{
    char emulated[VERIFY_TEXT_BYTES];
    const struct verify_options options = {
        .emulated = emulated_name(emulated, sizeof emulated, ""),
        .progress = isatty(STDERR_FILENO) ? cmd_verify_show : NULL,
    };
    const uint64_t start = clock_now();
    int status = verify_run(verify, t, counters, &options, &interrupt->stop);
    if (options.progress)
        fputs("\r\033[K", stderr);
    verify->seconds = (double)(clock_now() - start) / CLOCK_S;
    cmd_verify_machine(verify, t, counters);
    return status;
}

static int cmd_verify_status(const struct verify *verify, const struct survey_interrupt *interrupt)
{
    bool any = false;
    if (atomic_load(&interrupt->stop))
        return 128 + interrupt->number;
    for (size_t i = 0; i < verify->event_count; i++) {
        if (verify_word_is_wrong(verify->events[i].word))
            return CMD_VERIFY_WRONG;
        any |= verify->events[i].word != VERIFY_UNKNOWN;
    }
    if (!any)
        diag_error("the remarks say why", "nothing could be verified");
    return any ? 0 : DIAG_EXIT_FAILED;
}

static int cmd_verify_do(const struct topology *t, struct counters *counters, bool json)
{
    struct survey_interrupt interrupt;
    struct verify verify = {0};
    int status = survey_interrupt_open(&interrupt); // before any other thread is made
    if (status < 0)
        return status;
    status = cmd_verify_run(&verify, t, counters, &interrupt);
    if (status == 0) {
        (json ? verify_output_json : verify_output_text)(stdout, &verify);
        status = cmd_verify_status(&verify, &interrupt);
        if (status == 0 || status == CMD_VERIFY_WRONG)
            cmd_verify_store(&verify, t);
    }
    verify_free(&verify);
    survey_interrupt_close(&interrupt);
    return status;
}

static int cmd_verify_machine_of(struct topology *t, struct counters *counters, bool json)
{
    int status = topology_read(t, "");
    if (status < 0)
        return status;
    counters->exclude_kernel = true; // the patterns are user mode
    counters->all_asked_for = true; // retired loads too, which a recording leaves out beside the classes
    status = counters_prepare(counters, t, event_plan_all_topics, 1);
    if (cmd_verify_cannot(t, counters))
        status = DIAG_EXIT_FAILED;
    else if (status >= 0)
        status = cmd_verify_do(t, counters, json);
    counters_free(counters);
    topology_free(t);
    return status;
}

int cmd_verify(int argc, char **argv)
{
    static const struct option known[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool json = false;
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        switch (found) {
        case 'j': json = true; break;
        case 'h': return fputs(help, stdout) < 0 ? DIAG_EXIT_FAILED : 0;
        default: return usage_bad_option(argv, found);
        }
    }
    if (optind < argc)
        return usage_bad_argument(argv, argv[optind]);
    struct topology *t = calloc(1, sizeof *t);
    struct counters *counters = calloc(1, sizeof *counters);
    int status = t && counters ? cmd_verify_machine_of(t, counters, json) : -ENOMEM;
    free(counters);
    free(t);
    if (status < 0)
        diag_error(status == -ENOMEM ? "free memory, or see ulimit -v" : NULL, "cannot verify: %s", strerror(-status));
    return status < 0 ? DIAG_EXIT_FAILED : status;
}
