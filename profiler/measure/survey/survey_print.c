// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/survey/survey_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text/units.h"
#include "profiler/measure/result/result_firmware.h"

enum { SURVEY_PRINT_TITLE = 34, SURVEY_PRINT_MEMORY = 12, SURVEY_PRINT_CELL = 18 };

static void survey_print_head(const struct result *result)
{
    char buffer[UNITS_BYTES_TEXT], cache[UNITS_BYTES_TEXT];
    printf("\nmeasured %s with %s in %s of memory at a time (caches: %s), %s pages\n", result->at, result->kernels,
           units_bytes(buffer, result->buffer_bytes), units_bytes(cache, result->llc_bytes),
           result->has_huge_pages ? "huge" : "4 KiB");
    if (*result->emulated)
        printf("EMULATED MACHINE (%s): these times and rates say nothing about any hardware\n", result->emulated);
    printf("\n%-*s%-*s", SURVEY_PRINT_TITLE, "", SURVEY_PRINT_MEMORY, "memory of");
    for (size_t from = 0; from < result->from_count; from++) {
        char title[SURVEY_PRINT_CELL + 1];
        snprintf(title, sizeof title, "CPUs of node %d", result->from[from]);
        printf("%*s", SURVEY_PRINT_CELL, title);
    }
    printf("  spread\n");
}

static bool survey_print_has(const struct result *result, enum result_metric_id metric, size_t to)
{
    bool has = false;
    for (size_t from = 0; from < result->from_count; from++)
        has |= result_cell(result, metric, to, from)->count > 0;
    return has;
}

// "161  1.68x": the second number only beside another one that is local.
static void survey_print_cell(const struct result *result, enum result_metric_id id, size_t to, size_t from)
{
    struct result_spread spread;
    const struct result_cell *cell = result_cell(result, id, to, from);
    char value[16] = "n/a", relative[16] = "";
    if (result_spread(cell, &spread)) {
        double shown = result_metric_is_time(result_metric_get(id)) ? spread.median : spread.median / 1e9;
        snprintf(value, sizeof value, "%.*f%s", shown < 10 ? 2 : shown < 1000 ? 1 : 0, shown,
                 result_is_noisy(cell) ? "~" : " ");
    }
    double ratio = result_relative(result, id, to, from);
    if (!isnan(ratio) && result->to[to] != result->from[from])
        snprintf(relative, sizeof relative, "%.2fx", ratio);
    printf("%*s%6s", SURVEY_PRINT_CELL - 6, value, relative);
}

// Widest middle half of the repeats in this row.
static void survey_print_spread(const struct result *result, enum result_metric_id id, size_t to)
{
    double widest = 0;
    struct result_spread spread;
    for (size_t from = 0; from < result->from_count; from++)
        if (result_spread(result_cell(result, id, to, from), &spread) && spread.middle > widest)
            widest = spread.middle;
    printf("  %.1f %%\n", 100 * widest);
}

static void survey_print_metric(const struct result *result, enum result_metric_id id)
{
    const char *title = result_metric_get(id)->title;
    for (size_t to = 0; to < result->to_count; to++) {
        char memory[RESULT_TEXT] = "all nodes";
        if (!survey_print_has(result, id, to))
            continue;
        if (result->to[to] != RESULT_INTERLEAVED)
            snprintf(memory, sizeof memory, "node %d", result->to[to]);
        printf("  %-*s%-*s", SURVEY_PRINT_TITLE - 2, title, SURVEY_PRINT_MEMORY, memory);
        title = "";
        for (size_t from = 0; from < result->from_count; from++)
            survey_print_cell(result, id, to, from);
        survey_print_spread(result, id, to);
    }
}

static bool survey_print_has_metric(const struct result *result, enum result_metric_id id)
{
    bool has = false;
    for (size_t to = 0; to < result->to_count; to++)
        has |= survey_print_has(result, id, to);
    return has;
}

// Compares the firmware's claims with the measurement by distance: a table by pair would be as long as the matrix.
static void survey_print_firmware(const struct result *result, const struct topology *t)
{
    struct result_firmware_distance found[RESULT_FIRMWARE_DISTANCES];
    size_t count = result_firmware_distances(result, t, found);
    if (count < 2)
        return; // all memory is local
    printf("  distance    pairs   claimed   measured (%s)\n", result_metric_get(result_firmware_metric(result))->name);
    for (size_t i = 0; i < count; i++)
        printf("  %8d %8zu %8.2fx %9.2fx  %.2f..%.2f\n", found[i].distance, found[i].pairs, found[i].claimed,
               found[i].median, found[i].low, found[i].high);
}

// "read 90 ns (measured 110)"
static const char *survey_print_claim(const char *before, const char *unit, const struct result_firmware_claim *claim,
                                      double in_unit)
{
    if (claim->claimed <= 0)
        return before;
    printf("%s %.4g %s ", before, claim->claimed / in_unit, unit);
    if (claim->measured > 0)
        printf("(measured %.4g)", claim->measured / in_unit);
    else
        printf("(not measured)");
    return ",";
}

static void survey_print_claims(const char *what, const struct result_firmware_claim *ns,
                                const struct result_firmware_claim *bytes_per_s)
{
    survey_print_claim(survey_print_claim(what, "ns", ns, 1), "GB/s", bytes_per_s, 1e9);
}

static void survey_print_hmat(const struct result *result, const struct topology *t, const char *root)
{
    struct result_firmware_hmat found[RESULT_FIRMWARE_HMAT];
    size_t count = result_firmware_hmat(result, t, root, found);
    for (size_t i = 0; i < count; i++)
        if (found[i].from >= 0) {
            printf("  HMAT, node %d to node %d:", found[i].from, found[i].to);
            survey_print_claims(" read", &found[i].read_ns, &found[i].read_bytes_per_s);
            survey_print_claims("\n    write", &found[i].write_ns, &found[i].write_bytes_per_s);
            putchar('\n');
        }
}

static void survey_print_beside(const struct result *result, const struct topology *t, const char *root)
{
    struct result_firmware_distance distances[RESULT_FIRMWARE_DISTANCES];
    struct result_firmware_hmat hmat[RESULT_FIRMWARE_HMAT];
    if (*result->emulated)
        return; // emulated times mean nothing
    if (result_firmware_distances(result, t, distances) < 2 && result_firmware_hmat(result, t, root, hmat) == 0)
        return; // nothing is claimed but that what is local is local
    puts("beside the firmware");
    survey_print_firmware(result, t);
    survey_print_hmat(result, t, root);
}

static void survey_print_notes(const struct result *result)
{
    for (size_t i = 0; i < result->note_count; i++)
        printf("%s%s\n", i == 0 ? "\nremarks\n- " : "- ", result->notes[i]);
}

void survey_print_result(const struct result *result, const struct topology *t, const char *root)
{
    int last = -1;
    survey_print_head(result);
    for (int id = 0; id < RESULT_METRICS; id++) {
        enum result_metric_group group = result_metric_get((enum result_metric_id)id)->group;
        if (!survey_print_has_metric(result, (enum result_metric_id)id))
            continue;
        if (last != (int)group)
            printf("%s\n", result_metric_group_title(group));
        last = (int)group;
        survey_print_metric(result, (enum result_metric_id)id);
    }
    if (last < 0)
        puts("nothing was measured");
    survey_print_beside(result, t, root);
    survey_print_notes(result);
}

// --- before it is measured

static void survey_print_nodes(const struct result *result)
{
    struct cpulist nodes = {0};
    char list[CPULIST_SHORT_BYTES];
    for (size_t from = 0; from < result->from_count; from++)
        cpulist_add(&nodes, result->from[from]);
    printf("to be measured from the CPUs of node%s %s", result->from_count == 1 ? "" : "s",
           cpulist_shorten(list, sizeof list, &nodes));
}

void survey_print_schedule(const struct survey_schedule *schedule, const struct result *result)
{
    if (schedule->seconds > 0)
        survey_print_nodes(result);
    if (schedule->seconds <= 0)
        puts("nothing can be measured: the remarks say why");
    else if (*result->emulated)
        puts(", emulated: in no time that could be told");
    else
        printf(", in about %.0f s (%.0f s if all repeats vary)\n", ceil(schedule->seconds),
               ceil(schedule->most_seconds));
    for (size_t to = 0; to < schedule->count; to++) {
        const struct survey_schedule_row *row = &schedule->rows[to];
        char used[UNITS_BYTES_TEXT] = "left out";
        if (!row->is_left_out) // the second region, of small pages, has half the size
            units_bytes(used, (int64_t)(row->extent.bytes + row->extent.bytes / 2));
        printf("  %-22s %12s\n", row->name, used);
    }
    survey_print_notes(result);
}
