// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/result_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profiler/measure/result/machine_cache.h"

static const struct machine_cache_kind result_store_kind = {.name = "measured", .first = "numaprof measurement 1"};

// --- writing

static void result_store_write(FILE *out, const void *what)
{
    const struct result *result = what;
    fprintf(out, "at %s\nkernels %s\nbuffer_bytes %" PRId64 "\nhuge_pages %d\n", result->at, result->kernels,
            result->buffer_bytes, result->has_huge_pages);
    fputs("from", out);
    for (size_t i = 0; i < result->from_count; i++)
        fprintf(out, " %d", result->from[i]);
    fputs("\nto", out);
    for (size_t i = 0; i < result->to_count; i++)
        fprintf(out, " %d", result->to[i]);
    putc('\n', out);
    for (int id = 0; id < RESULT_METRICS; id++)
        for (size_t to = 0; to < result->to_count; to++)
            for (size_t from = 0; from < result->from_count; from++) {
                const struct result_cell *cell = result_cell(result, (enum result_metric_id)id, to, from);
                if (cell->count == 0)
                    continue;
                fprintf(out, "%s %zu %zu", result_metric_get((enum result_metric_id)id)->name, to, from);
                for (int i = 0; i < cell->count; i++)
                    fprintf(out, " %.6g", cell->values[i]);
                putc('\n', out);
            }
}

int result_store_save(const struct result *result, const struct topology *t, char *path, size_t size)
{
    return machine_cache_save(&result_store_kind, t, path, size, result_store_write, result);
}

// --- reading

static int result_store_numbers(const char *text, int numbers[], size_t most)
{
    size_t count = 0;
    int used;
    while (count < most && sscanf(text, " %d%n", &numbers[count], &used) == 1) {
        if (numbers[count] < RESULT_INTERLEAVED || numbers[count] >= CPULIST_MAX)
            return -EINVAL;
        count++;
        text += used;
    }
    return *text ? -EINVAL : (int)count;
}

static int result_store_metric(const char *name)
{
    for (int id = 0; id < RESULT_METRICS; id++)
        if (strcmp(result_metric_get((enum result_metric_id)id)->name, name) == 0)
            return id;
    return -EINVAL;
}

// "read 0 1 1.6e+10 ..."
static int result_store_read_cell(void *into, const char *line)
{
    struct result *result = into;
    char name[RESULT_TEXT];
    size_t to, from;
    int used, id;
    if (!result->cells || sscanf(line, "%63s %zu %zu%n", name, &to, &from, &used) != 3 ||
        (id = result_store_metric(name)) < 0 || to >= result->to_count || from >= result->from_count)
        return -EINVAL;
    struct result_cell *cell = result_cell(result, (enum result_metric_id)id, to, from);
    for (line += used; cell->count < RESULT_REPEATS && sscanf(line, " %lf%n", &cell->values[cell->count], &used) == 1;
         line += used)
        if (!(cell->values[cell->count++] > 0))
            return -EINVAL;
    return *line ? -EINVAL : 0;
}

struct result_store_head {
    const char *at, *kernels, *buffer, *huge, *from, *to;
};

static int result_store_begin(struct result *result, const struct result_store_head *head)
{
    enum { MOST = 1024 }; // the kernel's largest number of nodes (MAX_NUMNODES)
    int from[MOST], to[MOST + 1];
    int from_count = result_store_numbers(head->from, from, MOST),
        to_count = result_store_numbers(head->to, to, MOST + 1);
    if (from_count <= 0 || to_count <= 0)
        return -EINVAL;
    int status = result_make(result, from, (size_t)from_count, to, (size_t)to_count);
    if (status < 0)
        return status;
    snprintf(result->at, sizeof result->at, "%s", head->at);
    snprintf(result->kernels, sizeof result->kernels, "%s", head->kernels);
    result->has_huge_pages = strcmp(head->huge, "1") == 0;
    return sscanf(head->buffer, "%" SCNd64, &result->buffer_bytes) == 1 ? 0 : -EINVAL;
}

// The head's lines stand in this order; then cells.
static int result_store_read_text(struct result *result, struct machine_cache_reader *reader)
{
    const struct result_store_head head = {
        .at = machine_cache_after(machine_cache_line(reader), "at"),
        .kernels = machine_cache_after(machine_cache_line(reader), "kernels"),
        .buffer = machine_cache_after(machine_cache_line(reader), "buffer_bytes"),
        .huge = machine_cache_after(machine_cache_line(reader), "huge_pages"),
        .from = machine_cache_after(machine_cache_line(reader), "from"),
        .to = machine_cache_after(machine_cache_line(reader), "to"),
    };
    if (!head.at || !head.kernels || !head.buffer || !head.huge || !head.from || !head.to)
        return -EINVAL;
    int status = result_store_begin(result, &head);
    return status < 0 ? status : machine_cache_each(reader, result_store_read_cell, result);
}

// status: of opening the reader, which is closed.
static int result_store_read(struct result *result, struct machine_cache_reader *reader, int status)
{
    *result = (struct result){0};
    if (status == 0)
        status = result_store_read_text(result, reader);
    if (status < 0)
        result_free(result);
    machine_cache_close(reader);
    return status;
}

int result_store_load(struct result *result, const struct topology *t, char *path, size_t size)
{
    struct machine_cache_reader reader;
    return result_store_read(result, &reader, machine_cache_open(&reader, &result_store_kind, t, path, size));
}

static bool result_store_fits(const struct result *result, const struct topology *t)
{
    bool fits = true;
    for (size_t i = 0; i < result->from_count; i++)
        fits &= topology_node(t, result->from[i]) != NULL;
    for (size_t i = 0; i < result->to_count; i++)
        fits &= result->to[i] == RESULT_INTERLEAVED || topology_node(t, result->to[i]) != NULL;
    return fits;
}

int result_store_load_file(struct result *result, const struct topology *t, const char *path)
{
    struct machine_cache_reader reader;
    int status = result_store_read(result, &reader, machine_cache_open_file(&reader, &result_store_kind, path));
    if (status < 0 || result_store_fits(result, t))
        return status;
    result_free(result);
    return -ESRCH;
}
