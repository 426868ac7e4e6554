// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/json.h"

#include <inttypes.h>
#include <math.h>

#include "core/json.h"
#include "profiler/measure/firmware.h"

static void json_node(FILE *file, const char *name, int node)
{
    fprintf(file, ", \"%s\": ", name);
    json_number(file, node, RESULT_INTERLEAVED); // interleaved memory, and no node, are null
}

static void json_real(FILE *file, const char *name, double value)
{
    if (isnan(value))
        fprintf(file, ", \"%s\": null", name);
    else
        fprintf(file, ", \"%s\": %.6g", name, value);
}

static void json_flag(FILE *file, const char *name, bool value)
{
    fprintf(file, ", \"%s\": %s", name, value ? "true" : "false");
}

static void json_cell(FILE *file, const struct result *result, enum metric_id id, size_t to, size_t from)
{
    struct result_spread spread;
    const struct result_cell *cell = result_cell(result, id, to, from);
    result_spread(cell, &spread);
    fprintf(file, "\n      {\"metric\": \"%s\", \"unit\": \"%s\"", metric_get(id)->name, metric_unit(metric_get(id)));
    json_node(file, "from", result->from[from]);
    json_node(file, "to", result->to[to]);
    json_real(file, "median", spread.median);
    json_real(file, "low", spread.low);
    json_real(file, "high", spread.high);
    fprintf(file, ", \"repeats\": %d", cell->count);
    json_real(file, "relative", result_relative(result, id, to, from));
    json_flag(file, "noisy", result_is_noisy(cell));
    json_real(file, "lost_share", cell->lost_ns / (cell->lost_ns + cell->kept_ns));
    fprintf(file, ", \"lines\": %" PRIu64 "}", cell->lines);
}

static void json_cells(FILE *file, const struct result *result)
{
    const char *comma = "";
    fputs("    \"values\": [", file);
    for (int id = 0; id < METRICS; id++)
        for (size_t to = 0; to < result->to_count; to++)
            for (size_t from = 0; from < result->from_count; from++)
                if (result_cell(result, (enum metric_id)id, to, from)->count > 0) {
                    fputs(comma, file);
                    json_cell(file, result, (enum metric_id)id, to, from);
                    comma = ",";
                }
    fputs("\n    ],\n", file);
}

static void json_claim(FILE *file, const char *name, double claimed)
{
    json_real(file, name, claimed > 0 ? claimed : NAN);
}

static void json_hmat(FILE *file, const struct result *result, const struct topology *t, const char *root)
{
    struct firmware_hmat found[FIRMWARE_HMAT];
    size_t count = firmware_hmat(result, t, root, found);
    fputs("    \"hmat\": [", file);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s\n      {\"access\": %d", i > 0 ? "," : "", found[i].class);
        json_node(file, "from", found[i].from);
        json_node(file, "to", found[i].to);
        json_claim(file, "latency_ns", found[i].read_ns.claimed);
        json_claim(file, "write_latency_ns", found[i].write_ns.claimed);
        json_claim(file, "read_bytes_per_s", found[i].read_bytes_per_s.claimed);
        json_claim(file, "write_bytes_per_s", found[i].write_bytes_per_s.claimed);
        putc('}', file);
    }
    fputs(count > 0 ? "\n    ],\n" : "],\n", file);
}

static void json_notes(FILE *file, const struct result *result)
{
    fputs("    \"remarks\": [", file);
    for (size_t i = 0; i < result->note_count; i++) {
        fputs(i > 0 ? ",\n      " : "\n      ", file);
        json_text(file, result->notes[i]);
    }
    fputs(result->note_count > 0 ? "\n    ]\n" : "]\n", file);
}

void json_measured(FILE *file, const struct result *result, const struct topology *t, const char *root)
{
    fputs("{\n    \"at\": ", file);
    json_text(file, result->at);
    fputs(", \"kernels\": ", file);
    json_text(file, result->kernels);
    json_flag(file, "meaningless", *result->emulated);
    fputs(", \"emulated\": ", file);
    if (*result->emulated)
        json_text(file, result->emulated);
    else
        fputs("null", file);
    json_flag(file, "interrupted", result->is_interrupted);
    json_flag(file, "too_noisy", result_is_too_noisy(result));
    json_flag(file, "huge_pages", result->has_huge_pages);
    fputs(", \"buffer_bytes\": ", file);
    json_number(file, result->buffer_bytes, -1);
    fputs(", \"llc_bytes\": ", file);
    json_number(file, result->llc_bytes, -1);
    fputs(",\n", file);
    json_cells(file, result);
    json_hmat(file, result, t, root);
    json_notes(file, result);
    fputs("  }", file);
}
