// SPDX-License-Identifier: Apache-2.0
// check FILE: the Python program judges a recording. check PROGRAM: it is recorded first.
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/process/regular_file.h"
#include "profiler/commands/command.h"
#include "profiler/launch/run_options.h"

// A file that nobody could run is left to those who read recordings: they say what is wrong with it.
// A directory is that of a job.
static bool check_is_recording(const char *path)
{
    static const char magic[] = "SQLite format 3", ending[] = ".numaprof", merged[] = ".ranks";
    struct stat there;
    char start[sizeof magic] = "";
    int fd = regular_file_open(path, 0, &there);
    ssize_t n = fd >= 0 ? read(fd, start, sizeof start) : -1;
    if (fd >= 0)
        close(fd);
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode))
        return true;
    size_t length = strlen(path);
    bool is_named_so = (length >= sizeof ending && strcmp(path + length - (sizeof ending - 1), ending) == 0) ||
                       (length >= sizeof merged && strcmp(path + length - (sizeof merged - 1), merged) == 0);
    return (n == sizeof start && memcmp(start, magic, sizeof magic) == 0) || is_named_so;
}

int cmd_check(int argc, char **argv)
{
    int first = run_options_program(argc, argv);
    if (first == argc || check_is_recording(argv[first]))
        return cmd_reports(argc, argv);
    return cmd_run_and_check(argc, argv);
}
