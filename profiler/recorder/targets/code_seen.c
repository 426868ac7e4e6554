// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/code_seen.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"

// A variable's value in an environment: texts one behind the other, each with its NUL. 0: not there, or no number.
static long code_seen_variable(const char *environment, size_t length, const char *name)
{
    const size_t named = strlen(name);
    for (size_t at = 0; at < length; at += strlen(environment + at) + 1)
        if (strncmp(environment + at, name, named) == 0 && environment[at + named] == '=')
            return strtol(environment + at + named + 1, NULL, 10);
    return 0;
}

// The first that is set counts: OpenBLAS's README, "Setting the number of threads using environment variables".
static void code_seen_openblas(const struct targets *targets, const struct process *process)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS", NULL};
    char *environment = NULL;
    const int length = sysfile_whole("", &environment, "/proc/%d/environ", process->shown);
    long threads = 0;
    size_t i = 0;
    while (length > 0 && names[i] && (threads = code_seen_variable(environment, (size_t)length, names[i])) <= 0)
        i++;
    RECORD(targets->tasks->queue, RECORDING_OPENBLAS, RECORD_NUMBER(process->id),
           threads > 0 ? RECORD_TEXT(names[i]) : RECORD_NULL, threads > 0 ? RECORD_NUMBER(threads) : RECORD_NULL);
    free(environment);
}

void code_seen(const struct targets *targets, const struct process *process, const char *path, uint64_t time)
{
    const char *name = strrchr(path, '/');
    program_files_see(targets->walk->files, process->shown, path, time);
    if (name && strstr(name, "openblas"))
        code_seen_openblas(targets, process);
}
