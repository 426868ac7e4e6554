// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "profiler/measure/firmware.h"

enum { PRINT_TITLE = 34, PRINT_MEMORY = 12, PRINT_CELL = 18 };

static void print_head(const struct result *result)
{
    char buffer[UNITS_BYTES_TEXT], cache[UNITS_BYTES_TEXT];
    printf("\nmeasured with %s in %s of memory at a time (caches: %s), %s pages\n", result->kernels,
           units_bytes(buffer, result->buffer_bytes), units_bytes(cache, result->llc_bytes),
           result->has_huge_pages ? "huge" : "4 KiB");
    if (*result->emulated)
        printf("EMULATED MACHINE (%s): these times and rates say nothing about any hardware\n", result->emulated);
    printf("\n%-*s%-*s", PRINT_TITLE, "", PRINT_MEMORY, "memory of");
    for (size_t from = 0; from < result->from_count; from++) {
        char title[PRINT_CELL + 1];
        snprintf(title, sizeof title, "CPUs of node %d", result->from[from]);
        printf("%*s", PRINT_CELL, title);
    }
    printf("  spread\n");
}

static bool print_has(const struct result *result, enum metric_id metric, size_t to)
{
    bool has = false;
    for (size_t from = 0; from < result->from_count; from++)
        has |= result_cell(result, metric, to, from)->count > 0;
    return has;
}

// "161  1.68x": the second number only beside another one that is local.
static void print_cell(const struct result *result, enum metric_id id, size_t to, size_t from)
{
    struct result_spread spread;
    const struct result_cell *cell = result_cell(result, id, to, from);
    char value[16] = "n/a", relative[16] = "";
    if (result_spread(cell, &spread)) {
        double shown = metric_is_time(metric_get(id)) ? spread.median : spread.median / 1e9;
        snprintf(value, sizeof value, "%.*f%s", shown < 10 ? 2 : shown < 1000 ? 1 : 0, shown,
                 result_is_noisy(cell) ? "~" : " ");
    }
    double ratio = result_relative(result, id, to, from);
    if (!isnan(ratio) && result->to[to] != result->from[from])
        snprintf(relative, sizeof relative, "%.2fx", ratio);
    printf("%*s%6s", PRINT_CELL - 6, value, relative);
}

// The widest of the row, of the repeats' middle half.
static void print_spread(const struct result *result, enum metric_id id, size_t to)
{
    double widest = 0;
    struct result_spread spread;
    for (size_t from = 0; from < result->from_count; from++)
        if (result_spread(result_cell(result, id, to, from), &spread) && spread.middle > widest)
            widest = spread.middle;
    printf("  %.1f %%\n", 100 * widest);
}

static void print_metric(const struct result *result, enum metric_id id)
{
    const char *title = metric_get(id)->title;
    for (size_t to = 0; to < result->to_count; to++) {
        char memory[RESULT_TEXT] = "all nodes";
        if (!print_has(result, id, to))
            continue;
        if (result->to[to] != RESULT_INTERLEAVED)
            snprintf(memory, sizeof memory, "node %d", result->to[to]);
        printf("  %-*s%-*s", PRINT_TITLE - 2, title, PRINT_MEMORY, memory);
        title = "";
        for (size_t from = 0; from < result->from_count; from++)
            print_cell(result, id, to, from);
        print_spread(result, id, to);
    }
}

static bool print_has_metric(const struct result *result, enum metric_id id)
{
    bool has = false;
    for (size_t to = 0; to < result->to_count; to++)
        has |= print_has(result, id, to);
    return has;
}

// What the firmware claims and what was measured, by distance: a table for pairs would be as long as the matrix.
static void print_firmware(const struct result *result, const struct topology *t)
{
    struct firmware_distance found[FIRMWARE_DISTANCES];
    size_t count = firmware_distances(result, t, found);
    if (count < 2 || *result->emulated)
        return; // nothing but local memory, or times that mean nothing
    printf("beside the firmware\n  distance    pairs   claimed   measured (%s)\n",
           metric_get(firmware_metric(result))->name);
    for (size_t i = 0; i < count; i++)
        printf("  %8d %8zu %8.2fx %9.2fx  %.2f..%.2f\n", found[i].distance, found[i].pairs, found[i].claimed,
               found[i].median, found[i].low, found[i].high);
}

static void print_claim(const char *what, const char *unit, double claimed, double measured)
{
    if (claimed > 0 && measured > 0)
        printf("; %s %.1f %s, measured %.1f", what, claimed, unit, measured);
    else if (claimed > 0)
        printf("; %s %.1f %s, not measured", what, claimed, unit);
}

static void print_hmat(const struct result *result, const struct topology *t)
{
    struct firmware_hmat found[FIRMWARE_HMAT];
    size_t count = firmware_hmat(result, t, "", found);
    for (size_t i = 0; i < count; i++)
        if (found[i].from >= 0) {
            printf("  HMAT access%d, node %d to node %d", found[i].class, found[i].from, found[i].to);
            print_claim("latency", "ns", found[i].latency_ns, found[i].measured_latency_ns);
            print_claim("read", "GB/s", found[i].read_bytes_per_s / 1e9, found[i].measured_read_bytes_per_s / 1e9);
            putchar('\n');
        }
}

void print_result(const struct result *result, const struct topology *t)
{
    int last = -1;
    print_head(result);
    for (int id = 0; id < METRICS; id++) {
        enum metric_group group = metric_get((enum metric_id)id)->group;
        if (!print_has_metric(result, (enum metric_id)id))
            continue;
        if (last != (int)group)
            printf("%s\n", metric_group_title(group));
        last = (int)group;
        print_metric(result, (enum metric_id)id);
    }
    if (last < 0)
        puts("nothing was measured");
    print_firmware(result, t);
    print_hmat(result, t);
    for (size_t i = 0; i < result->note_count; i++)
        printf("%s%s\n", i == 0 ? "\nremarks\n- " : "- ", result->notes[i]);
}
