// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/result_json.h"

#include <math.h>

#include "profiler/measure/result/result_firmware.h"

static void result_json_cell(struct json *json, const struct result *result, enum result_metric_id id, size_t to,
                             size_t from)
{
    struct result_spread spread;
    const struct result_cell *cell = result_cell(result, id, to, from);
    result_spread(cell, &spread);
    json_object(json, NULL);
    json_text(json, "metric", result_metric_get(id)->name);
    json_text(json, "unit", result_metric_unit(result_metric_get(id)));
    json_number_known(json, "from", result->from[from]);
    json_number_known(json, "to", result->to[to]); // null: interleaved
    json_real(json, "median", spread.median);
    json_real(json, "low", spread.low);
    json_real(json, "high", spread.high);
    json_number(json, "repeats", cell->count);
    json_real(json, "relative", result_relative(result, id, to, from));
    json_flag(json, "noisy", result_is_noisy(cell));
    json_real(json, "lost_share", cell->lost_ns / (cell->lost_ns + cell->kept_ns));
    json_number(json, "lines", (int64_t)cell->lines);
    json_close(json);
}

static void result_json_cells(struct json *json, const struct result *result)
{
    json_array(json, "values");
    for (int id = 0; id < RESULT_METRICS; id++)
        for (size_t to = 0; to < result->to_count; to++)
            for (size_t from = 0; from < result->from_count; from++)
                if (result_cell(result, (enum result_metric_id)id, to, from)->count > 0)
                    result_json_cell(json, result, (enum result_metric_id)id, to, from);
    json_close(json);
}

static void result_json_claim(struct json *json, const char *key, double claimed)
{
    json_real(json, key, claimed > 0 ? claimed : NAN);
}

static void result_json_hmat(struct json *json, const struct result *result, const struct topology *t, const char *root)
{
    struct result_firmware_hmat found[RESULT_FIRMWARE_HMAT];
    size_t count = result_firmware_hmat(result, t, root, found);
    json_array(json, "hmat");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_number(json, "access", found[i].class);
        json_number_known(json, "from", found[i].from);
        json_number_known(json, "to", found[i].to);
        result_json_claim(json, "latency_ns", found[i].read_ns.claimed);
        result_json_claim(json, "write_latency_ns", found[i].write_ns.claimed);
        result_json_claim(json, "read_bytes_per_s", found[i].read_bytes_per_s.claimed);
        result_json_claim(json, "write_bytes_per_s", found[i].write_bytes_per_s.claimed);
        json_close(json);
    }
    json_close(json);
}

void result_json_measured(struct json *json, const struct result *result, const struct topology *t, const char *root)
{
    json_object(json, "measured");
    json_text(json, "at", result->at);
    json_text(json, "kernels", result->kernels);
    json_flag(json, "meaningless", *result->emulated);
    json_text_known(json, "emulated", result->emulated);
    json_flag(json, "interrupted", result->is_interrupted);
    json_flag(json, "too_noisy", result_is_too_noisy(result));
    json_flag(json, "huge_pages", result->has_huge_pages);
    json_number_known(json, "buffer_bytes", result->buffer_bytes);
    json_number_known(json, "llc_bytes", result->llc_bytes);
    result_json_cells(json, result);
    result_json_hmat(json, result, t, root);
    json_array(json, "remarks");
    for (size_t i = 0; i < result->note_count; i++)
        json_text(json, NULL, result->notes[i]);
    json_close(json);
    json_close(json);
}
