// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/commands.h"

#include <stdio.h>
#include <string.h>

#include "core/text/similar.h"
#include "profiler/commands/command.h"

static const struct command commands[] = {
    {"run", cmd_run, "record a program, then report; `numaprof PROGRAM` is the same"},
    {"record", cmd_record, "record a program"},
    {"attach", cmd_attach, "record processes that already run"},
    {"import", cmd_import, "make a recording from a perf.data file"},
    {"top", cmd_top, "show processes live: remote share, page placement, CPU time"},
    {"report", cmd_reports, "show recordings: in the terminal, as a page, as data"},
    {"diff", cmd_reports, "compare recordings from before and after a change"},
    {"merge", cmd_reports, "join the recordings of many ranks in one small file for reports"},
    {"check", cmd_check, "fail if the remote share is above a limit (for CI)"},
    {"sweep", cmd_sweep, "run a program with 1, 2, 4 ... threads"},
    {"policies", cmd_policies, "run a program under each memory policy"},
    {"try", cmd_try, "run a program with the advised placement, without an edit, and measure the gain"},
    {"export", cmd_reports, "write recordings for other tools"},
    {"doctor", cmd_doctor, "say what this machine can measure, and how to enable the rest"},
    {"topology", cmd_topology, "show nodes, CPUs and distances; --measure times them"},
    {"verify", cmd_verify, "check that the counters of this machine count correctly"},
    {"events", cmd_events, "show the locality events of this or another CPU"},
    {"lab", cmd_lab, "run a command in the emulated NUMA machine"},
    {"help", cmd_help, "show this list, or the options of a command"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

const struct command *commands_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

const char *commands_nearest(const char *word)
{
    const char *nearest = NULL;
    for (size_t i = 0; i < COMMANDS; i++)
        nearest = similar_nearer(word, commands[i].name, nearest);
    return nearest;
}

void commands_print(void)
{
    puts("usage: numaprof [options] [--] PROGRAM [ARGUMENT...]\n"
         "       numaprof COMMAND ...\n"
         "Finds remote NUMA memory in multithreaded programs: which thread, which data, which line, and what to "
         "change.\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    puts("\nOptions for recording: numaprof help run. Every command: numaprof help COMMAND.");
}
