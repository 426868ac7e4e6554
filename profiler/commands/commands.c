// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/commands.h"

#include <stdio.h>
#include <string.h>

#include "profiler/commands/command.h"

enum { NAME_SIZE = 16, NEAR = 2 };

static const struct command commands[] = {
    {"run", cmd_run, "record a program, then report; `numaprof PROGRAM` is the same"},
    {"record", cmd_record, "record a program"},
    {"attach", cmd_attach, "record processes that run already"},
    {"report", cmd_reports, "show recordings: in the terminal, as a page, as data"},
    {"diff", cmd_reports, "compare recordings from before and after a change"},
    {"check", cmd_check, "fail if the remote share is above a limit (for CI)"},
    {"sweep", cmd_sweep, "run a program with 1, 2, 4 ... threads"},
    {"policies", cmd_policies, "run a program under each memory policy"},
    {"try", cmd_try, "run a program with the advised placement, without an edit, and measure"},
    {"export", cmd_reports, "write recordings for other tools"},
    {"doctor", cmd_doctor, "say what this machine can measure, and what would enable the rest"},
    {"topology", cmd_topology, "show nodes, CPUs and distances; --measure times them"},
    {"verify", cmd_verify, "check that the counters of this machine count what they should"},
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

static size_t commands_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Letters to change, add, leave out, or swap with the next one (optimal string alignment). Both shorter than NAME_SIZE.
static size_t commands_distance(const char *a, const char *b)
{
    size_t rows[NAME_SIZE][NAME_SIZE], lengths[] = {strlen(a), strlen(b)};
    for (size_t i = 0; i <= lengths[0]; i++) {
        for (size_t j = 0; j <= lengths[1]; j++) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            size_t changed = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            rows[i][j] = commands_least(changed, 1 + commands_least(rows[i - 1][j], rows[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[i][j] = commands_least(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    }
    return rows[lengths[0]][lengths[1]];
}

const struct command *commands_nearest(const char *word)
{
    const struct command *nearest = NULL;
    size_t least = NEAR + 1, length = strlen(word);
    for (size_t i = 0; i < COMMANDS && length < NAME_SIZE; i++) {
        size_t distance = commands_distance(word, commands[i].name);
        if (distance < least && 2 * distance < length) {
            nearest = &commands[i];
            least = distance;
        }
    }
    return nearest;
}

void commands_print(void)
{
    puts("Usage: numaprof [options] [--] PROGRAM [ARGUMENT...]\n"
         "       numaprof COMMAND ...\n"
         "Does a multithreaded program wait for memory of other NUMA nodes? Which data, which line, what to change?\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    puts("\nOptions for recording: numaprof help run. Every command: numaprof help COMMAND.");
}
