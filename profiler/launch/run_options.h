// SPDX-License-Identifier: Apache-2.0
// The command line of run and record.
#ifndef PROFILER_LAUNCH_RUN_OPTIONS_H
#define PROFILER_LAUNCH_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct placing;
struct running;

enum { RUN_OPTIONS_INTERVAL_MS = 100 }; // where none is asked for

enum run_pin { RUN_PIN_COMPACT, RUN_PIN_SCATTER, RUN_PIN_LIST, RUN_PIN_NONE };

struct run_options {
    char **arguments;            // the program and its arguments
    const char *output;          // pattern; NULL: the default
    enum run_pin pin;
    const char *pin_list;        // for RUN_PIN_LIST
    uint64_t interval_ms;        // of the time line
    uint64_t delay_ms;           // counting starts this long after the program
    uint64_t duration_ms;        // and lasts this long; 0: to the end
    const char *control;         // FIFO with "start" and "stop" lines; NULL: none
    bool paused;                 // counting starts at the first "start" or mark
    int repeats;
    const char *events;          // questions to the counters, as in numaprof events; NULL: the default
    bool kernel;                 // count the kernel's accesses as well
    bool no_counters, no_faults, no_pages; // leave out a collector
    bool report;                 // show the report afterwards
    const char *max_remote, *min_coverage; // check the recording against these; NULL: do not, or its default
    const char *sarif, *junit;             // files for the results of check; NULL: none
    const char *place;           // placement file; NULL: none
    struct placing *placing;     // the same, read and checked
    bool quiet;                  // say nothing but errors
    const struct running *running; // processes to attach to; NULL: the program is started
};

enum run_purpose { RUN_TO_REPORT, RUN_TO_RECORD, RUN_TO_CHECK };

// Returns -1 to go on, or the exit status to leave with (0 after --help and --version).
int run_options_parse(struct run_options *options, int argc, char **argv, enum run_purpose purpose);

// Codes of the long options, as getopt_long(3) returns them; the others have a letter.
enum run_option_code {
    RUN_OPTION_PIN = 256,
    RUN_OPTION_INTERVAL,
    RUN_OPTION_DELAY,
    RUN_OPTION_DURATION,
    RUN_OPTION_CONTROL,
    RUN_OPTION_PAUSED,
    RUN_OPTION_EVENTS,
    RUN_OPTION_KERNEL,
    RUN_OPTION_WITHOUT,
    RUN_OPTION_PLACE,
    RUN_OPTION_NO_REPORT,
    RUN_OPTION_MAX_REMOTE,
    RUN_OPTION_MIN_COVERAGE,
    RUN_OPTION_SARIF,
    RUN_OPTION_JUNIT,
    RUN_OPTION_VERSION,
};

// One option, its value in optarg. Prints what is wrong and returns -EINVAL, or 0.
int run_options_set(struct run_options *options, int code);

// Index of the first argument that is no option: the program. argc: there is none, or --help was asked for.
int run_options_program(int argc, char **argv);

#endif
