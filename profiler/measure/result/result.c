// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/result.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *result_copy(const int *numbers, size_t count)
{
    int *copy = calloc(count + 1, sizeof *copy);
    if (copy && count > 0)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

int result_make(struct result *result, const int *from, size_t from_count, const int *to, size_t to_count)
{
    *result = (struct result){.from_count = from_count, .to_count = to_count, .llc_bytes = -1, .buffer_bytes = -1};
    result->from = result_copy(from, from_count);
    result->to = result_copy(to, to_count);
    result->cells = calloc(RESULT_METRICS * from_count * to_count + 1, sizeof *result->cells);
    if (result->from && result->to && result->cells)
        return 0;
    result_free(result);
    return -ENOMEM;
}

void result_free(struct result *result)
{
    free(result->from);
    free(result->to);
    free(result->cells);
    result->from = result->to = NULL;
    result->cells = NULL;
    result->from_count = result->to_count = 0;
}

struct result_cell *result_cell(const struct result *result, enum result_metric_id metric, size_t to, size_t from)
{
    return &result->cells[((size_t)metric * result->to_count + to) * result->from_count + from];
}

static size_t result_index(const int *numbers, size_t count, int wanted)
{
    size_t i = 0;
    while (i < count && numbers[i] != wanted)
        i++;
    return i;
}

const struct result_cell *result_find(const struct result *result, enum result_metric_id metric, int to, int from)
{
    size_t row = result_index(result->to, result->to_count, to);
    size_t column = result_index(result->from, result->from_count, from);
    if (row == result->to_count || column == result->from_count)
        return NULL;
    const struct result_cell *cell = result_cell(result, metric, row, column);
    return cell->count > 0 ? cell : NULL;
}

void result_note(struct result *result, const char *format, ...)
{
    if (result->note_count == RESULT_NOTES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->notes[result->note_count], RESULT_NOTE_BYTES, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < result->note_count; i++) // the same may happen at every node
        if (strcmp(result->notes[i], result->notes[result->note_count]) == 0)
            return;
    result->note_count++;
}

static int result_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// Between the two nearest values, as the usual definition of a quantile has it.
static double result_quantile(const double *sorted, size_t count, double share)
{
    double bound = share * (double)(count - 1);
    size_t below = (size_t)bound;
    double above = below + 1 < count ? sorted[below + 1] : sorted[below];
    return sorted[below] + (bound - (double)below) * (above - sorted[below]);
}

double result_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, result_compare);
    return count > 0 ? result_quantile(values, count, 0.5) : NAN;
}

bool result_spread(const struct result_cell *cell, struct result_spread *spread)
{
    double sorted[RESULT_REPEATS];
    size_t count = (size_t)cell->count;
    if (count == 0)
        return false;
    memcpy(sorted, cell->values, count * sizeof *sorted);
    double median = result_median(sorted, count);
    double half = result_quantile(sorted, count, 0.75) - result_quantile(sorted, count, 0.25);
    *spread = (struct result_spread){.median = median, .low = sorted[0], .high = sorted[count - 1],
                                     .middle = median > 0 ? half / median : 0};
    return true;
}

bool result_is_noisy(const struct result_cell *cell)
{
    struct result_spread spread;
    return result_spread(cell, &spread) && spread.middle > RESULT_NOISY;
}

double result_noise(const struct result *result)
{
    size_t noisy = 0, measured = 0, cells = RESULT_METRICS * result->from_count * result->to_count;
    for (size_t i = 0; i < cells; i++) {
        noisy += result_is_noisy(&result->cells[i]);
        measured += result->cells[i].count > 0;
    }
    return measured ? (double)noisy / (double)measured : 0;
}

double result_lost(const struct result *result)
{
    double lost = 0, kept = 0;
    for (size_t i = 0; i < RESULT_METRICS * result->from_count * result->to_count; i++) {
        lost += result->cells[i].lost_ns;
        kept += result->cells[i].kept_ns;
    }
    return lost + kept > 0 ? lost / (lost + kept) : 0;
}

bool result_is_too_noisy(const struct result *result)
{
    return result_noise(result) > 0.25 || result_lost(result) > 0.5;
}

double result_relative(const struct result *result, enum result_metric_id metric, size_t to, size_t from)
{
    struct result_spread here, local;
    const struct result_cell *own = result_find(result, metric, result->from[from], result->from[from]);
    if (!own || !result_spread(own, &local) || !result_spread(result_cell(result, metric, to, from), &here) ||
        local.median <= 0)
        return NAN;
    return here.median / local.median;
}
