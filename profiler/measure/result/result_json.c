// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/result_json.h"

#include <inttypes.h>
#include <math.h>

#include "core/text/json.h"
#include "profiler/measure/result/result_firmware.h"

static void result_json_node(FILE *file, const char *name, int node)
{
    fprintf(file, ", \"%s\": ", name);
    json_number(file, node, RESULT_INTERLEAVED); // interleaved memory, and no node, are null
}

static void result_json_real(FILE *file, const char *name, double value)
{
    if (isnan(value))
        fprintf(file, ", \"%s\": null", name);
    else
        fprintf(file, ", \"%s\": %.6g", name, value);
}

static void result_json_flag(FILE *file, const char *name, bool value)
{
    fprintf(file, ", \"%s\": %s", name, value ? "true" : "false");
}

static void result_json_cell(FILE *file, const struct result *result, enum result_metric_id id, size_t to, size_t from)
{
    struct result_spread spread;
    const struct result_cell *cell = result_cell(result, id, to, from);
    result_spread(cell, &spread);
    fprintf(file, "\n      {\"metric\": \"%s\", \"unit\": \"%s\"", result_metric_get(id)->name,
            result_metric_unit(result_metric_get(id)));
    result_json_node(file, "from", result->from[from]);
    result_json_node(file, "to", result->to[to]);
    result_json_real(file, "median", spread.median);
    result_json_real(file, "low", spread.low);
    result_json_real(file, "high", spread.high);
    fprintf(file, ", \"repeats\": %d", cell->count);
    result_json_real(file, "relative", result_relative(result, id, to, from));
    result_json_flag(file, "noisy", result_is_noisy(cell));
    result_json_real(file, "lost_share", cell->lost_ns / (cell->lost_ns + cell->kept_ns));
    fprintf(file, ", \"lines\": %" PRIu64 "}", cell->lines);
}

static void result_json_cells(FILE *file, const struct result *result)
{
    const char *comma = "";
    fputs("    \"values\": [", file);
    for (int id = 0; id < RESULT_METRICS; id++)
        for (size_t to = 0; to < result->to_count; to++)
            for (size_t from = 0; from < result->from_count; from++)
                if (result_cell(result, (enum result_metric_id)id, to, from)->count > 0) {
                    fputs(comma, file);
                    result_json_cell(file, result, (enum result_metric_id)id, to, from);
                    comma = ",";
                }
    fputs("\n    ],\n", file);
}

static void result_json_claim(FILE *file, const char *name, double claimed)
{
    result_json_real(file, name, claimed > 0 ? claimed : NAN);
}

static void result_json_hmat(FILE *file, const struct result *result, const struct topology *t, const char *root)
{
    struct result_firmware_hmat found[RESULT_FIRMWARE_HMAT];
    size_t count = result_firmware_hmat(result, t, root, found);
    fputs("    \"hmat\": [", file);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s\n      {\"access\": %d", i > 0 ? "," : "", found[i].class);
        result_json_node(file, "from", found[i].from);
        result_json_node(file, "to", found[i].to);
        result_json_claim(file, "latency_ns", found[i].read_ns.claimed);
        result_json_claim(file, "write_latency_ns", found[i].write_ns.claimed);
        result_json_claim(file, "read_bytes_per_s", found[i].read_bytes_per_s.claimed);
        result_json_claim(file, "write_bytes_per_s", found[i].write_bytes_per_s.claimed);
        putc('}', file);
    }
    fputs(count > 0 ? "\n    ],\n" : "],\n", file);
}

static void result_json_notes(FILE *file, const struct result *result)
{
    fputs("    \"remarks\": [", file);
    for (size_t i = 0; i < result->note_count; i++) {
        fputs(i > 0 ? ",\n      " : "\n      ", file);
        json_text(file, result->notes[i]);
    }
    fputs(result->note_count > 0 ? "\n    ]\n" : "]\n", file);
}

void result_json_measured(FILE *file, const struct result *result, const struct topology *t, const char *root)
{
    fputs("{\n    \"at\": ", file);
    json_text(file, result->at);
    fputs(", \"kernels\": ", file);
    json_text(file, result->kernels);
    result_json_flag(file, "meaningless", *result->emulated);
    fputs(", \"emulated\": ", file);
    if (*result->emulated)
        json_text(file, result->emulated);
    else
        fputs("null", file);
    result_json_flag(file, "interrupted", result->is_interrupted);
    result_json_flag(file, "too_noisy", result_is_too_noisy(result));
    result_json_flag(file, "huge_pages", result->has_huge_pages);
    fputs(", \"buffer_bytes\": ", file);
    json_number(file, result->buffer_bytes, -1);
    fputs(", \"llc_bytes\": ", file);
    json_number(file, result->llc_bytes, -1);
    fputs(",\n", file);
    result_json_cells(file, result);
    result_json_hmat(file, result, t, root);
    result_json_notes(file, result);
    fputs("  }", file);
}
