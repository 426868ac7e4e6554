// SPDX-License-Identifier: Apache-2.0
#include "collectors/pages/movers.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/cgroup.h"
#include "core/system/sysfile.h"

static const char *const movers_names[MOVERS_COUNTERS] = {
    [MOVERS_BALANCED] = "numa_pages_migrated",
    [MOVERS_PROMOTED] = "pgpromote_success",
    [MOVERS_PROMOTE_CANDIDATE] = "pgpromote_candidate",
    [MOVERS_DEMOTED_KSWAPD] = "pgdemote_kswapd",
    [MOVERS_DEMOTED_DIRECT] = "pgdemote_direct",
    [MOVERS_DEMOTED_KHUGEPAGED] = "pgdemote_khugepaged",
    [MOVERS_DEMOTED_PROACTIVE] = "pgdemote_proactive",
    [MOVERS_MIGRATED] = "pgmigrate_success",
};

// --- reading

// Lines "name value".
static void movers_parse(struct movers_values *values, const char *text)
{
    for (int i = 0; i < MOVERS_COUNTERS; i++)
        values->value[i] = RECORDING_NULL;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        for (int i = 0; i < MOVERS_COUNTERS; i++) {
            size_t length = strlen(movers_names[i]);
            if (strncmp(line, movers_names[i], length) == 0 && line[length] == ' ' &&
                sscanf(line + length, "%" SCNd64, &values->value[i]) != 1)
                values->value[i] = RECORDING_NULL;
        }
}

static void movers_read_file(struct movers_values *values, const char *root, const char *path)
{
    char *text = NULL;
    movers_parse(values, sysfile_whole(root, &text, "%s", path) >= 0 ? text : "");
    free(text);
}

static void movers_read_cgroup(struct movers_values *values, const char *root)
{
    char group[PATH_MAX], path[PATH_MAX + 64];
    movers_parse(values, "");
    if (cgroup_path(group, sizeof group, root) < 0)
        return;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.stat", group);
    movers_read_file(values, root, path);
}

static int64_t movers_read_demotes(const char *root)
{
    char text[16];
    if (sysfile_text(root, text, sizeof text, "/sys/kernel/mm/numa/demotion_enabled") < 0)
        return RECORDING_NULL;
    return strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

struct movers_damon {
    const char *root;
    int64_t on;
};

static void movers_count_damon(void *context, const char *name)
{
    struct movers_damon *damon = context;
    char state[16];
    if (sysfile_text(damon->root, state, sizeof state, "/sys/kernel/mm/damon/admin/kdamonds/%s/state", name) > 0)
        damon->on += strcmp(state, "on") == 0;
}

static int64_t movers_read_damon(const char *root)
{
    struct movers_damon damon = {.root = root};
    return sysfile_names(root, movers_count_damon, &damon, "/sys/kernel/mm/damon/admin/kdamonds") < 0 ? RECORDING_NULL
                                                                                                       : damon.on;
}

void movers_read(struct movers *movers, const struct topology *topology, const char *root)
{
    movers_read_file(&movers->machine, root, "/proc/vmstat");
    movers_read_cgroup(&movers->cgroup, root);
    movers->demotes = movers_read_demotes(root);
    movers->damon = movers_read_damon(root);
    movers->nodes = calloc(topology->node_count, sizeof *movers->nodes);
    for (size_t i = 0; movers->nodes && i < topology->node_count; i++) {
        char path[64];
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/vmstat", topology->nodes[i].id);
        movers_read_file(&movers->nodes[i], root, path);
    }
}

void movers_free(struct movers *movers)
{
    free(movers->nodes);
    movers->nodes = NULL;
}

// --- writing

int64_t movers_moved(const struct movers *before, const struct movers *after, enum movers_counter counter)
{
    int64_t first = before->machine.value[counter], last = after->machine.value[counter];
    return first == RECORDING_NULL || last == RECORDING_NULL || last < first ? RECORDING_NULL : last - first;
}

static void movers_write_row(struct recording_queue *queue, const char *scope, struct recording_value node,
                             const char *counter, const int64_t values[2])
{
    if (values[0] != RECORDING_NULL && values[1] != RECORDING_NULL)
        RECORD(queue, RECORDING_MOVER, RECORD_TEXT(scope), node, RECORD_TEXT(counter), RECORD_NUMBER(values[0]),
               RECORD_NUMBER(values[1]));
}

static void movers_write_values(struct recording_queue *queue, const char *scope, struct recording_value node,
                                const struct movers_values *before, const struct movers_values *after)
{
    for (int i = 0; i < MOVERS_COUNTERS; i++)
        movers_write_row(queue, scope, node, movers_names[i], (int64_t[]){before->value[i], after->value[i]});
}

void movers_write(const struct movers *before, const struct movers *after, const struct topology *topology,
                  struct recording_queue *queue)
{
    const struct recording_value none = RECORD_NULL;
    movers_write_values(queue, "machine", none, &before->machine, &after->machine);
    movers_write_values(queue, "cgroup", none, &before->cgroup, &after->cgroup);
    for (size_t i = 0; before->nodes && after->nodes && i < topology->node_count; i++)
        movers_write_values(queue, "node", RECORD_NUMBER(topology->nodes[i].id), &before->nodes[i], &after->nodes[i]);
    movers_write_row(queue, "setting", none, "demotion_enabled", (int64_t[]){before->demotes, after->demotes});
    movers_write_row(queue, "setting", none, "damon_threads", (int64_t[]){before->damon, after->damon});
}

static int64_t movers_known(const struct movers *before, const struct movers *after, enum movers_counter counter)
{
    int64_t moved = movers_moved(before, after, counter);
    return moved == RECORDING_NULL ? 0 : moved;
}

static int64_t movers_demoted(const struct movers *before, const struct movers *after)
{
    int64_t demoted = 0;
    for (enum movers_counter i = MOVERS_DEMOTED_KSWAPD; i <= MOVERS_DEMOTED_PROACTIVE; i++)
        demoted += movers_known(before, after, i);
    return demoted;
}

// Promotions are counted as balanced too. What is left over is compaction, programs and, where it is on, DAMON.
static int64_t movers_others(const struct movers *before, const struct movers *after)
{
    bool damon = after->damon > 0 || before->damon > 0;
    int64_t rest = movers_known(before, after, MOVERS_MIGRATED) - movers_known(before, after, MOVERS_BALANCED) -
                   movers_demoted(before, after);
    return damon && rest > 0 ? rest : 0;
}

const char *movers_remedy(const struct movers *before, const struct movers *after)
{
    int64_t balanced = movers_known(before, after, MOVERS_BALANCED), demoted = movers_demoted(before, after);
    if (movers_others(before, after) > balanced + demoted)
        return NULL; // DAMON is switched by whoever set it up
    return demoted > balanced ? "echo 0 | sudo tee /sys/kernel/mm/numa/demotion_enabled"
                              : "sysctl kernel.numa_balancing=0";
}

int64_t movers_describe(const struct movers *before, const struct movers *after, char *out, size_t size)
{
    int64_t balanced = movers_known(before, after, MOVERS_BALANCED);
    int64_t promoted = movers_known(before, after, MOVERS_PROMOTED), demoted = movers_demoted(before, after);
    int64_t others = movers_others(before, after);
    if (balanced + demoted + others == 0)
        return 0;
    int used = snprintf(out, size,
                        "the kernel moved pages of this machine's programs meanwhile: automatic balancing %" PRId64
                        " (%" PRId64 " of them promoted from a slow tier), demotion to a slow tier %" PRId64,
                        balanced, promoted, demoted);
    if (others > 0 && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, ", others %" PRId64 " (DAMON is on)", others);
    return balanced + demoted + others;
}
