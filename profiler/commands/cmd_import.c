// SPDX-License-Identifier: Apache-2.0
// import: a recording of what perf recorded, here or elsewhere.
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/commands/usage.h"
#include "profiler/import/import.h"

static const char usage[] =
    "usage: numaprof import [options] FILE\n"
    "Makes a recording from a perf.data file of perf record or perf stat record, or the text of perf script (- is\n"
    "standard input); numaprof report, diff and check read it.\n"
    "\n"
    "  -o, --output FILE  the recording                                                 "
    "[FILE.numaprof, in this folder]\n"
    "      --symfs DIR    look for the programs and libraries below DIR                 [/]\n"
    "      --sysroot DIR  read the nodes and CPUs of the recorded machine below DIR     [what FILE tells]\n"
    "  -q, --quiet        print errors and warnings only\n"
    "  -h, --help         this text\n"
    "\n"
    "perf mem record gives the most evidence; docs/recording-with-perf.md has the command for each CPU. Functions and "
    "lines come from files\n"
    "of the same build id, on this machine, below DIR, or in perf's ~/.debug.\n"
    "The exit status is 0 with a recording, else 125.\n";

// An option that was not given names none.
static bool import_is_folder(const char *option, const char *name, const char *holds)
{
    struct stat about;
    char clean[256], remedy[128];
    if (!name || (stat(name, &about) == 0 && S_ISDIR(about.st_mode)))
        return true;
    snprintf(remedy, sizeof remedy, "give the folder that holds the recorded machine's %s", holds);
    diag_error(remedy, "%s %s is not a folder", option, diag_clean(clean, sizeof clean, name));
    return false;
}

// Returns -1 to go on, or the exit status to leave with.
static int import_parse(struct import_request *request, int argc, char **argv)
{
    enum { SYMFS = 1000, SYSROOT };
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'},
        {"symfs", required_argument, NULL, SYMFS},
        {"sysroot", required_argument, NULL, SYSROOT},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    opterr = 0;
    for (int code; (code = getopt_long(argc, argv, ":o:qh", options, NULL)) != -1;) {
        if (code == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (code == '?' || code == ':')
            return usage_bad_option(argv, code);
        if (code == 'o')
            request->output = optarg;
        else if (code == SYMFS)
            request->symfs = optarg;
        else if (code == SYSROOT)
            request->sysroot = optarg;
        else
            request->quiet = true;
    }
    if (argc - optind > 1)
        return usage_bad_argument(argv, argv[optind + 1]);
    if (optind == argc) {
        diag_error("numaprof import perf.data", "import: no file given");
        return DIAG_EXIT_FAILED;
    }
    request->input = argv[optind];
    return import_is_folder("--symfs", request->symfs, "/usr and the like") &&
                   import_is_folder("--sysroot", request->sysroot, "/sys")
               ? -1
               : DIAG_EXIT_FAILED;
}

int cmd_import(int argc, char **argv)
{
    struct import_request request = {0};
    int status = import_parse(&request, argc, argv);
    return status >= 0 ? status : import_run(&request);
}
