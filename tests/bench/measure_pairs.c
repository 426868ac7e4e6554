// SPDX-License-Identifier: Apache-2.0
// numaprof's own survey of the machine, which before each of its timed slices lets another program or loop run one of
// its own: pairs of some ten milliseconds each, so that neither knows a quieter machine than the other.
//
//   measure_pairs MIB SURVEYS METRIC,... [--own-list | METRIC=COMMAND ...]
//
// In arrays of MIB each, on the node of the first CPU that is allowed. The others are the loops of stream_like.c, in
// the same memory as ours (where memory lies makes some per cent), emptied from the caches before each turn; with
// --own-list their chase goes along a list of their own, elsewhere. A command prints a number. Prints lines
// SURVEY METRIC OURS THEIRS, in GB/s or ns.
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/topology/topology.h"
#include "profiler/measure/kernels/kernels_flush.h"
#include "profiler/measure/memory/memory_bound.h"
#include "profiler/measure/survey/survey.h"
#include "stream_like.h"

struct other {
    struct stream_like loops;
    const struct memory_bound *bound;  // our region, which the linker's --wrap shows us
    size_t bytes;               // its size
    bool has_own_list;
    char **commands;            // METRIC=COMMAND; ends with NULL
    cpu_set_t cpus;             // where it may run
    struct result *ours;
    double values[RESULT_METRICS][RESULT_REPEATS]; // each beside ours of the same number
};

static struct other other;

int __real_memory_bound_map(struct memory_bound *bound, size_t bytes, const struct cpulist *nodes, bool huge);
int __wrap_memory_bound_map(struct memory_bound *bound, size_t bytes, const struct cpulist *nodes, bool huge);

int __wrap_memory_bound_map(struct memory_bound *bound, size_t bytes, const struct cpulist *nodes, bool huge)
{
    int status = __real_memory_bound_map(bound, bytes, nodes, huge);
    if (status < 0 || bytes != other.bytes)
        return status;
    other.bound = bound;
    other.loops.to = (uint64_t *)(void *)bound->base;
    other.loops.from = (const uint64_t *)(const void *)(bound->base + bytes / 2);
    other.loops.count = bytes / 2 / sizeof(uint64_t);
    other.loops.at = 0;
    if (!other.has_own_list)
        other.loops.line = bound->base;
    return status;
}

static int metric_of(const char *name)
{
    int id = 0;
    while (id < RESULT_METRICS && strcmp(result_metric_get((enum result_metric_id)id)->name, name) != 0)
        id++;
    return id;
}

static double run_command(const char *command)
{
    double value = 0;
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%lf", &value) != 1) {
        fprintf(stderr, "measure_pairs: no number from: %s\n", command);
        exit(1);
    }
    pclose(pipe);
    return value;
}

static double run_other(const char *metric)
{
    size_t length = strlen(metric);
    if (!*other.commands) {
        kernels_flush_lines(other.bound->base, other.bytes);
        double value = stream_like_slice(&other.loops, metric);
        kernels_flush_lines(other.bound->base, other.bytes);
        return value;
    }
    for (char **word = other.commands; *word; word++)
        if (strncmp(*word, metric, length) == 0 && (*word)[length] == '=')
            return run_command(*word + length + 1);
    return -1;
}

// Before each slice of ours. The survey's own thread stands on one CPU by then.
static void take_turn(void *unused, const char *metric, double done, double total)
{
    enum result_metric_id id = (enum result_metric_id)metric_of(metric);
    cpu_set_t here;
    (void)unused, (void)done, (void)total;
    if (id == RESULT_METRICS)
        return; // memory is made ready
    sched_getaffinity(0, sizeof here, &here);
    sched_setaffinity(0, sizeof other.cpus, &other.cpus);
    other.values[id][result_cell(other.ours, id, 0, 0)->count] = run_other(metric);
    sched_setaffinity(0, sizeof here, &here);
}

static void print_pairs(int survey)
{
    for (int id = 0; id < RESULT_METRICS; id++) {
        const struct result_cell *cell = result_cell(other.ours, (enum result_metric_id)id, 0, 0);
        double unit = result_metric_is_time(result_metric_get((enum result_metric_id)id)) ? 1 : 1e9;
        for (int i = 0; i < cell->count; i++)
            if (other.values[id][i] > 0)
                printf("%d %s %.6g %.6g\n", survey, result_metric_get((enum result_metric_id)id)->name,
                       cell->values[i] / unit, other.values[id][i]);
    }
    fflush(stdout);
}

static int compare(int survey, const struct topology *t, const struct survey_options *options)
{
    struct result result;
    atomic_bool stop = false;
    char *list = other.has_own_list ? stream_like_list((size_t)options->bytes / 2) : NULL;
    other.ours = &result;
    other.loops.line = list;
    memset(other.values, 0, sizeof other.values);
    int status = survey_run(&result, t, options, &stop);
    free(list);
    if (status < 0)
        return status;
    print_pairs(survey);
    for (size_t i = 0; i < result.note_count; i++)
        fprintf(stderr, "measure_pairs: %s\n", result.notes[i]);
    result_free(&result);
    return 0;
}

static void choose(struct survey_options *options, const struct topology *t, char *names)
{
    const struct topology_cpu *cpu = topology_cpu(t, cpulist_next(&t->allowed_cpus, 0));
    memset(options->skip, true, sizeof options->skip);
    for (char *name; (name = strsep(&names, ","));)
        if (metric_of(name) < RESULT_METRICS)
            options->skip[metric_of(name)] = false;
    options->has_from = options->has_to = true;
    cpulist_add(&options->from, cpu->node);
    cpulist_add(&options->to, cpu->node);
}

int main(int argc, char **argv)
{
    static struct topology t;
    size_t bytes = argc > 3 ? strtoull(argv[1], NULL, 10) << 20 : 0;
    struct survey_options options = {.bytes = 2 * (int64_t)bytes, .progress = take_turn};
    if (bytes < 64 << 20 || topology_read(&t, "") < 0)
        return 1;
    choose(&options, &t, argv[3]);
    other.has_own_list = argv[4] && strcmp(argv[4], "--own-list") == 0;
    other.commands = argv + 4 + other.has_own_list;
    other.bytes = (size_t)options.bytes;
    sched_getaffinity(0, sizeof other.cpus, &other.cpus);
    int status = 0;
    for (int survey = 0; status == 0 && survey < atoi(argv[2]); survey++)
        status = compare(survey, &t, &options);
    topology_free(&t);
    return status < 0;
}
