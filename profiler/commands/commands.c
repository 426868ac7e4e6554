// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/commands.h"

#include <stdio.h>
#include <string.h>

#include "core/text/similar.h"
#include "profiler/commands/command.h"

// Groups of commands, as the list prints them.
static const char START[] = "Start with these:";
static const char RECORD[] = "Record:";
static const char AUTOMATE[] = "Automate:";
static const char EXPERIMENT[] = "Experiment:";
static const char MACHINE[] = "Know the machine:";
static const char HELP[] = "Help:";

static const struct command commands[] = {
    {"run", cmd_run, START, "record a program, then report; `numaprof PROGRAM` is the same"},
    {"report", cmd_reports, START, "show recordings: in the terminal, as a page, as data"},
    {"try", cmd_try, START, "run a program with the advised placement, without an edit, and measure the gain"},
    {"diff", cmd_reports, START, "compare recordings from before and after a change"},
    {"doctor", cmd_doctor, START, "say what this machine can measure, and how to enable the rest"},
    {"record", cmd_record, RECORD, "record a program, without a report"},
    {"attach", cmd_attach, RECORD, "record processes that already run"},
    {"top", cmd_top, RECORD, "show processes live: remote share, page placement, CPU time"},
    {"import", cmd_import, RECORD, "make a recording from a perf.data file"},
    {"check", cmd_check, AUTOMATE, "fail if the remote share is above a limit (for CI)"},
    {"merge", cmd_reports, AUTOMATE, "join the recordings of many ranks in one small file for reports"},
    {"export", cmd_reports, AUTOMATE, "write recordings for other tools"},
    {"sweep", cmd_sweep, EXPERIMENT, "run a program with 1, 2, 4 ... threads"},
    {"policies", cmd_policies, EXPERIMENT, "run a program under each memory policy"},
    {"topology", cmd_topology, MACHINE, "show nodes, CPUs and distances; --measure times them"},
    {"verify", cmd_verify, MACHINE, "check that the counters of this machine count correctly"},
    {"events", cmd_events, MACHINE, "show the locality events of this or another CPU"},
    {"lab", cmd_lab, MACHINE, "run a command in the emulated NUMA machine"},
    {"help", cmd_help, HELP, "show this list, or the options of a command"},
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
         "change.");
    for (size_t i = 0; i < COMMANDS; i++) {
        if (i == 0 || commands[i].group != commands[i - 1].group)
            printf("\n%s\n", commands[i].group);
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    puts("\nOptions for recording: numaprof help run. Every command: numaprof help COMMAND.");
}
