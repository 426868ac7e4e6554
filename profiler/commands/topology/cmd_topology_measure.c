// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/topology/cmd_topology_measure.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/emulated.h"
#include "core/text/diag.h"
#include "profiler/measure/memory/memory_extent.h"
#include "profiler/measure/result/machine_cache.h"
#include "profiler/measure/result/result_store.h"
#include "profiler/measure/result/result_verdict.h"

static const char cmd_topology_measure_remedy[] = "see numaprof topology --help";

// --- command line

static int cmd_topology_measure_nodes(struct cpulist *set, const char *option, const char *text,
                                      const struct topology *t)
{
    char clean[128];
    diag_clean(clean, sizeof clean, text);
    if (cpulist_parse(set, text) < 0 || cpulist_count(set) == 0) {
        diag_error("write it like 0,2-3", "%s: \"%s\" is not a list of nodes", option, clean);
        return -EINVAL;
    }
    for (int node = cpulist_next(set, 0); node >= 0; node = cpulist_next(set, node + 1))
        if (!topology_node(t, node)) {
            diag_error("numaprof topology lists those there are", "%s: there is no node %d", option, node);
            return -EINVAL;
        }
    return 0;
}

static int cmd_topology_measure_only(bool skip[RESULT_METRICS], const char *text)
{
    char names[1024], clean[128], *rest = names, *name;
    if (snprintf(names, sizeof names, "%s", text) >= (int)sizeof names)
        return -EINVAL;
    memset(skip, true, RESULT_METRICS * sizeof *skip);
    while ((name = strsep(&rest, ","))) {
        int id = 0;
        while (id < RESULT_METRICS && strcmp(result_metric_get((enum result_metric_id)id)->name, name) != 0)
            id++;
        if (id == RESULT_METRICS) {
            diag_error(cmd_topology_measure_remedy, "--only: nothing is called \"%s\"",
                       diag_clean(clean, sizeof clean, name));
            return -EINVAL;
        }
        skip[id] = false;
    }
    return 0;
}

// 64M, 2G: bytes of a region.
static int cmd_topology_measure_size(int64_t *bytes, const char *text)
{
    static const char units[] = "KMGT";
    char *end, clean[64];
    errno = 0;
    long long number = strtoll(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    bool is_bad = errno || end == text || number <= 0 || number > LLONG_MAX >> 40 || (*end && (!unit || end[1]));
    *bytes = is_bad ? 0 : number << shift;
    if (is_bad || *bytes < INT64_C(2) * MEMORY_EXTENT_UNIT) {
        diag_error("write it like 512M or 2G, at least 8M", "--size: \"%s\" is not a size",
                   diag_clean(clean, sizeof clean, text));
        return -EINVAL;
    }
    return 0;
}

int cmd_topology_measure_parse(struct survey_options *options, const struct cmd_topology_measure *texts,
                               const struct topology *t)
{
    *options = (struct survey_options){.has_from = texts->from != NULL, .has_to = texts->to != NULL};
    if ((texts->from && cmd_topology_measure_nodes(&options->from, "--from", texts->from, t) < 0) ||
        (texts->to && cmd_topology_measure_nodes(&options->to, "--to", texts->to, t) < 0) ||
        (texts->only && cmd_topology_measure_only(options->skip, texts->only) < 0) ||
        (texts->size && cmd_topology_measure_size(&options->bytes, texts->size) < 0))
        return -EINVAL;
    return 0;
}

// --- progress, on a terminal

struct cmd_topology_measure_progress {
    uint64_t start;
    bool is_shown;
};

static void cmd_topology_measure_show(void *to, const char *what, double done, double total)
{
    struct cmd_topology_measure_progress *progress = to;
    double passed = (double)(clock_now() - progress->start) / 1e9, left = total > done ? total - done : 0;
    progress->is_shown = true;
    fprintf(stderr, "\r\033[Knumaprof: measuring %s, %.0f %%, about %.0f s left", what, 100 * (1 - left / total),
            ceil(done > 1 ? left * passed / done : left)); // by plan, then by how far the plan is right here
    fflush(stderr);
}

// --- the end

static bool cmd_topology_measure_is_complete(const struct result *result, const struct survey_options *options)
{
    bool is_partial = result->is_interrupted || options->has_from || options->has_to || options->bytes > 0;
    for (int id = 0; id < RESULT_METRICS; id++)
        is_partial |= options->skip[id];
    return !is_partial;
}

static void cmd_topology_measure_keep(struct result *result, const struct topology *t,
                                      const struct survey_options *options)
{
    char path[PATH_MAX];
    if (*result->emulated || !cmd_topology_measure_is_complete(result, options) || result_is_too_noisy(result))
        return;
    machine_cache_tell(result_store_save(result, t, path, sizeof path), path, "the measurement");
}

static bool cmd_topology_measure_is_empty(const struct result *result)
{
    for (size_t i = 0; i < RESULT_METRICS * result->from_count * result->to_count; i++)
        if (result->cells[i].count > 0)
            return false;
    return true;
}

static int cmd_topology_measure_end(struct result *result, const struct topology *t,
                                    const struct survey_options *options)
{
    if (options->bytes > 0 && options->bytes < 4 * memory_extent_cache(t))
        result_note(result, "the size asked for is not well past the caches: part of what was measured are the caches");
    result_verdict_add(result, t, "");
    if (!cmd_topology_measure_is_empty(result)) {
        cmd_topology_measure_keep(result, t, options);
        return 0;
    }
    if (!result->is_interrupted)
        diag_error("the remarks say why", "nothing could be measured");
    return result->is_interrupted ? 0 : DIAG_EXIT_FAILED;
}

int cmd_topology_measure(struct result *result, const struct topology *t, struct survey_options *options,
                         const struct survey_interrupt *interrupt)
{
    char emulated[RESULT_TEXT];
    struct cmd_topology_measure_progress progress = {.start = clock_now()};
    *result = (struct result){0};
    if (emulated_name(emulated, sizeof emulated, ""))
        options->emulated = emulated;
    if (isatty(STDERR_FILENO))
        options->progress = cmd_topology_measure_show;
    options->progress_to = &progress;
    int status = survey_run(result, t, options, &interrupt->stop);
    if (progress.is_shown)
        fputs("\r\033[K", stderr);
    if (status < 0) {
        diag_error("free memory", "cannot measure: %s", strerror(-status));
        return DIAG_EXIT_FAILED;
    }
    status = cmd_topology_measure_end(result, t, options);
    return result->is_interrupted ? 128 + interrupt->number : status;
}
