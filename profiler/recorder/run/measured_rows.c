// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/run/measured_rows.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/text/diag.h"
#include "profiler/measure/result/result_store.h"

enum { MEASURED_TEXT = 32 };

// SQLite makes a REAL of a text that is one.
static const char *measured_rows_real(char out[MEASURED_TEXT], double value)
{
    snprintf(out, MEASURED_TEXT, "%.6g", value);
    return out;
}

static const char *measured_rows_median(char out[MEASURED_TEXT], const struct result *result,
                                        enum result_metric_id metric,
                                   int from, int to)
{
    struct result_spread spread;
    const struct result_cell *cell = result_find(result, metric, to, from);
    return cell && result_spread(cell, &spread) ? measured_rows_real(out, spread.median) : NULL;
}

static void measured_rows_write_distances(const struct topology *t, struct recording_queue *queue,
                                          const struct result *result)
{
    enum result_metric_id latency =
        result->has_huge_pages ? RESULT_METRIC_LATENCY_RANDOM : RESULT_METRIC_LATENCY_RANDOM_4K;
    for (size_t i = 0; i < t->node_count * t->node_count; i++) {
        int from = t->nodes[i / t->node_count].id, to = t->nodes[i % t->node_count].id;
        char ns[MEASURED_TEXT], rate[MEASURED_TEXT];
        RECORD(queue, RECORDING_DISTANCE, RECORD_NUMBER(from), RECORD_NUMBER(to),
               RECORD_KNOWN(t->distance[i]),
               RECORD_TEXT(measured_rows_median(ns, result, latency, from, to)),
               RECORD_TEXT(measured_rows_median(rate, result, RESULT_METRIC_READ_ALL, from, to)));
    }
}

static void measured_rows_write_cell(struct recording_queue *queue, const struct result *result,
                                     enum result_metric_id id,
                                size_t to, size_t from)
{
    struct result_spread spread;
    const struct result_cell *cell = result_cell(result, id, to, from);
    char median[MEASURED_TEXT], low[MEASURED_TEXT], high[MEASURED_TEXT];
    if (!result_spread(cell, &spread))
        return;
    const struct result_metric *metric = result_metric_get(id);
    RECORD(queue, RECORDING_MEASURED, RECORD_TEXT(metric->name), RECORD_TEXT(result_metric_unit(metric)),
           RECORD_NUMBER(result->from[from]),
           result->to[to] == RESULT_INTERLEAVED ? RECORD_NULL : RECORD_NUMBER(result->to[to]),
           RECORD_TEXT(measured_rows_real(median, spread.median)), RECORD_TEXT(measured_rows_real(low, spread.low)),
           RECORD_TEXT(measured_rows_real(high, spread.high)), RECORD_NUMBER(cell->count),
           RECORD_NUMBER(result_is_noisy(cell)));
}

void measured_rows_write(const struct topology *topology, bool use_measurement, struct recording_queue *queue)
{
    struct result result;
    char path[PATH_MAX], clean[PATH_MAX];
    int status = use_measurement ? result_store_load(&result, topology, path, sizeof path) : -ENOENT;
    if (status < 0)
        result = (struct result){0};
    if (status == -EINVAL)
        diag_warn("run numaprof topology --measure again", "%s is damaged: the recording holds no measured latencies",
                  diag_clean(clean, sizeof clean, path));
    measured_rows_write_distances(topology, queue, &result);
    if (status < 0)
        return;
    RECORD(queue, RECORDING_MEASUREMENT, RECORD_NUMBER(1), RECORD_TEXT(result.at), RECORD_TEXT(result.kernels),
           RECORD_KNOWN(result.buffer_bytes),
           RECORD_NUMBER(result.has_huge_pages));
    for (int id = 0; id < RESULT_METRICS; id++)
        for (size_t to = 0; to < result.to_count; to++)
            for (size_t from = 0; from < result.from_count; from++)
                measured_rows_write_cell(queue, &result, (enum result_metric_id)id, to, from);
    result_free(&result);
}
