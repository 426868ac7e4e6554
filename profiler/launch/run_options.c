// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/run_options.h"

#include <errno.h>
#include <getopt.h>
#include <gnu/libc-version.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "core/text/diag.h"
#include "core/text/similar.h"
#include "version.h"

static const char usage[] =
    "usage: numaprof [run|record] [options] [--] PROGRAM [ARGUMENT...]\n"
    "Runs PROGRAM with pinned threads, records its memory accesses, then reports (run is the default).\n"
    "\n"
    "  -o, --output PATTERN    the recording                                               [PROGRAM.PID.numaprof]\n"
    "                          of the ranks of a job: the directory they share             [job.numaprof]\n"
    "                          in PATTERN: %p pid, %h host, %r repeat, %R rank, %q{VAR} variable\n"
    "      --pin POLICY        compact, scatter, none, or a list of CPUs such as 0,2,4-7   [compact]\n"
    "      --interval MS       step of the time line                                       [100; at first 25]\n"
    "      --delay MS          start counting MS after the start of the program\n"
    "      --duration MS       stop counting after MS\n"
    "      --control FIFO      start and stop counting by lines written to FIFO\n"
    "      --paused            wait for the first start command (FIFO, or numaprof.h in the program)\n"
    "  -n, --repeats N         run N times, one recording each\n"
    "      --events LIST       request classes to count, see numaprof events               "
    "[demand_rd,demand_rfo,prefetch,retired]\n"
    "      --place FILE        place allocations as FILE says (numaprof try writes one); with run, measure nothing\n"
    "      --kernel            also count the kernel's work for the program (needs privilege)\n"
    "      --without WHAT      leave out counters, faults or pages (may be repeated)\n"
    "      --no-report         record only, as `numaprof record` does\n"
    "  -q, --quiet             print errors, and the report, only\n"
    "  -h, --help              this text\n"
    "      --version           print the version\n"
    "\n"
    "First touches and nodes of pages are always recorded, because advice needs them.\n"
    "The exit status is the program's; 125: numaprof failed, 126: the program cannot be run, 127: not found.\n";

static const char run_options_short[] = "+:o:n:qh"; // options end at the program

static const struct option run_options_long[] = {
    {"output", required_argument, NULL, 'o'},
    {"pin", required_argument, NULL, RUN_OPTION_PIN},
    {"interval", required_argument, NULL, RUN_OPTION_INTERVAL},
    {"delay", required_argument, NULL, RUN_OPTION_DELAY},
    {"duration", required_argument, NULL, RUN_OPTION_DURATION},
    {"control", required_argument, NULL, RUN_OPTION_CONTROL},
    {"paused", no_argument, NULL, RUN_OPTION_PAUSED},
    {"repeats", required_argument, NULL, 'n'},
    {"events", required_argument, NULL, RUN_OPTION_EVENTS},
    {"kernel", no_argument, NULL, RUN_OPTION_KERNEL},
    {"place", required_argument, NULL, RUN_OPTION_PLACE},
    {"without", required_argument, NULL, RUN_OPTION_WITHOUT},
    {"no-report", no_argument, NULL, RUN_OPTION_NO_REPORT},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, RUN_OPTION_VERSION},
    {"max-remote", required_argument, NULL, RUN_OPTION_MAX_REMOTE},
    {"min-coverage", required_argument, NULL, RUN_OPTION_MIN_COVERAGE},
    {"sarif", required_argument, NULL, RUN_OPTION_SARIF},
    {"junit", required_argument, NULL, RUN_OPTION_JUNIT},
    {0},
};

static int run_options_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || number < least || number > most) {
        char clean[64];
        diag_error("give a number of this range", "%s %s: must be a number from %llu to %llu", option,
                   *text ? diag_clean(clean, sizeof clean, text) : "''", (unsigned long long)least,
                   (unsigned long long)most);
        return -EINVAL;
    }
    *value = number;
    return 0;
}

static int run_options_pin(struct run_options *options, const char *text)
{
    static const char *const policies[] = {
        [RUN_PIN_COMPACT] = "compact", [RUN_PIN_SCATTER] = "scatter", [RUN_PIN_NONE] = "none"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (policies[i] && strcmp(policies[i], text) == 0) {
            options->pin = (enum run_pin)i;
            return 0;
        }
    }
    options->pin = RUN_PIN_LIST; // checked against the machine later
    options->pin_list = text;
    return 0;
}

static int run_options_without(struct run_options *options, const char *what)
{
    if (strcmp(what, "counters") == 0)
        options->no_counters = true;
    else if (strcmp(what, "faults") == 0)
        options->no_faults = true;
    else if (strcmp(what, "pages") == 0)
        options->no_pages = true;
    else {
        char clean[64];
        diag_error("choose counters, faults or pages", "--without %s: unknown", diag_clean(clean, sizeof clean, what));
        return -EINVAL;
    }
    return 0;
}

// False: the option keeps no text.
static bool run_options_text(struct run_options *options, int code, const char *text)
{
    const struct {
        int code;
        const char **kept;
    } texts[] = {
        {'o', &options->output},
        {RUN_OPTION_CONTROL, &options->control},
        {RUN_OPTION_EVENTS, &options->events},
        {RUN_OPTION_PLACE, &options->place},
        {RUN_OPTION_MAX_REMOTE, &options->max_remote},
        {RUN_OPTION_MIN_COVERAGE, &options->min_coverage},
        {RUN_OPTION_SARIF, &options->sarif},
        {RUN_OPTION_JUNIT, &options->junit},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].code == code) {
            *texts[i].kept = text;
            return true;
        }
    }
    return false;
}

int run_options_set(struct run_options *options, int code)
{
    enum { MONTH_MS = 31 * 24 * 3600 * 1000U };
    uint64_t repeats = 1;
    int status;
    switch (code) {
    case 'n':
        status = run_options_number("--repeats", optarg, 1, 1000, &repeats);
        options->repeats = (int)repeats;
        return status;
    case 'q':
        options->quiet = true;
        return 0;
    case RUN_OPTION_PIN:
        return run_options_pin(options, optarg);
    case RUN_OPTION_INTERVAL:
        return run_options_number("--interval", optarg, 1, MONTH_MS, &options->interval_ms);
    case RUN_OPTION_DELAY:
        return run_options_number("--delay", optarg, 0, MONTH_MS, &options->delay_ms);
    case RUN_OPTION_DURATION:
        return run_options_number("--duration", optarg, 1, MONTH_MS, &options->duration_ms);
    case RUN_OPTION_PAUSED:
        options->paused = true;
        return 0;
    case RUN_OPTION_KERNEL:
        options->kernel = true;
        return 0;
    case RUN_OPTION_WITHOUT:
        return run_options_without(options, optarg);
    case RUN_OPTION_NO_REPORT:
        options->report = false;
        return 0;
    default:
        return run_options_text(options, code, optarg) ? 0 : -EINVAL;
    }
}

int run_options_program(int argc, char **argv)
{
    int code;
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, run_options_short, run_options_long, NULL)) != -1)
        if (code == 'h')
            return argc;
    return optind;
}

// --max-remote, --min-coverage, --sarif and --junit belong to check, which cannot do without the first.
static int run_options_check(const struct run_options *options, enum run_purpose purpose)
{
    bool for_check = options->max_remote || options->min_coverage || options->sarif || options->junit;
    if (purpose != RUN_TO_CHECK && for_check)
        diag_error("numaprof check --max-remote PERCENT PROGRAM",
                   "--max-remote, --min-coverage, --sarif and --junit belong to check");
    else if (purpose == RUN_TO_CHECK && !options->max_remote)
        diag_error("numaprof check --max-remote 10% PROGRAM; options stand before the program",
                   "no --max-remote given");
    else
        return 0;
    return -EINVAL;
}

// Without a program interpreter the kernel tells no base address (getauxval(3)): the program is static.
static void run_options_version(void)
{
    struct utsname kernel = {0};
    uname(&kernel);
    printf("numaprof " NUMAPROF_VERSION "\nbuilt by " BUILT_BY ", %s, glibc %s, %s\n", kernel.machine,
           gnu_get_libc_version(), getauxval(AT_BASE) ? "shared" : "static");
}

// The command that has the option, which recording does not have; NULL: none is known.
static const char *run_options_command_of(const char *word)
{
    static const char *const options[][2] = {
        {"html", "report"}, {"json", "report"},   {"csv", "report"},    {"full", "report"}, {"top", "report"},
        {"sort", "report"}, {"thread", "report"}, {"object", "report"}, {"node", "report"}, {"source", "report"},
        {"open", "report"}, {"pid", "attach"},    {"cgroup", "attach"}, {"p", "attach"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(word, options[i][0]) == 0)
            return options[i][1];
    return NULL;
}

// `option` as it was typed, with its dashes and perhaps a value.
static void run_options_refuse(const char *option, int code)
{
    char clean[128], remedy[96], word[32];
    const char *meant = NULL;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(option + strspn(option, "-"), "="), option + strspn(option, "-"));
    for (const struct option *known = run_options_long; known->name && code == '?'; known++)
        meant = similar_nearer(word, known->name, meant);
    const char *command = code == '?' ? run_options_command_of(word) : NULL;
    if (command)
        snprintf(remedy, sizeof remedy, "numaprof %s has it; see numaprof help %s", command, command);
    else if (meant)
        snprintf(remedy, sizeof remedy, "did you mean --%s?", meant);
    diag_error(command || meant ? remedy : "see numaprof help run; options stand before the program", "%s %s",
               diag_clean(clean, sizeof clean, option), code == ':' ? "needs a value" : "is not an option");
}

int run_options_parse(struct run_options *options, int argc, char **argv, enum run_purpose purpose)
{
    *options =
        (struct run_options){.interval_ms = RUN_OPTIONS_INTERVAL_MS, .repeats = 1, .report = purpose == RUN_TO_REPORT};
    opterr = 0;
    optind = 1;
    int code;
    while ((code = getopt_long(argc, argv, run_options_short, run_options_long, NULL)) != -1) {
        if (code == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (code == RUN_OPTION_VERSION) {
            run_options_version();
            return 0;
        }
        if (code == '?' || code == ':') {
            run_options_refuse(argv[optind - 1], code);
            return DIAG_EXIT_FAILED;
        }
        if (run_options_set(options, code) < 0)
            return DIAG_EXIT_FAILED;
    }
    if (optind == argc) {
        diag_error("numaprof PROGRAM [ARGUMENT...]; see numaprof --help", "no program given");
        return DIAG_EXIT_FAILED;
    }
    if (run_options_check(options, purpose) < 0)
        return DIAG_EXIT_FAILED;
    options->arguments = argv + optind;
    return -1;
}
