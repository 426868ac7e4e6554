// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/usage.h"

#include <getopt.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/text/diag.h"

static int usage_error(char **argv, const char *what, const char *text)
{
    char remedy[64], clean[256];
    snprintf(remedy, sizeof remedy, "see numaprof %s --help", argv[0]);
    diag_error(remedy, "%s: %s %s", argv[0], what, diag_clean(clean, sizeof clean, text));
    return DIAG_EXIT_FAILED;
}

int usage_bad_option(char **argv, int found)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    // A long option stands in argv; of a cluster of letters only the letter is meant.
    const char *option = argv[optind - 1][1] == '-' ? argv[optind - 1] : letter;
    return usage_error(argv, found == ':' ? "no value given for" : "unknown option", option);
}

int usage_bad_argument(char **argv, const char *argument)
{
    return usage_error(argv, "unexpected argument", argument);
}

const char *usage_root(const char *word)
{
    return *word ? word : "''";
}

bool usage_is_root(const char *root)
{
    struct stat about;
    char clean[256];
    if (root[0] == '\0' || (stat(root, &about) == 0 && S_ISDIR(about.st_mode)))
        return true;
    diag_error("give a folder that holds sys and proc", "--sysroot %s is not a folder",
               diag_clean(clean, sizeof clean, root));
    return false;
}
