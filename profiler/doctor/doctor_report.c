// SPDX-License-Identifier: Apache-2.0
#include "profiler/doctor/doctor_report.h"

#include <stdio.h>
#include <string.h>

#include "core/text/diag.h"
#include "core/text/json.h"

// The evidence levels, best first, and the row that decides about each.
static const struct doctor_report_level {
    int level;
    const char *collector, *what, *row;
} doctor_report_levels[] = {
    {1, "counters", "local and remote reads, with prefetches", "locality"},
    {2, "counters", "retired loads", "retired"},
    {3, "samples", "single loads with address and latency", "sampling"},
    {4, "faults", "first touches", "faults"},
    {5, "pages", "nodes of pages", "pages"},
};
enum { DOCTOR_REPORT_LEVELS = sizeof doctor_report_levels / sizeof *doctor_report_levels };

static const struct doctor_finding *doctor_report_find(const struct doctor_row *rows, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].id, id) == 0)
            return &rows[i].finding;
    return NULL;
}

static enum doctor_state doctor_report_state(const struct doctor_row *rows, size_t count, int index)
{
    const struct doctor_finding *f = doctor_report_find(rows, count, doctor_report_levels[index].row);
    return f ? f->state : DOCTOR_UNKNOWN;
}

// Index of the best level that works, or -1.
static int doctor_report_best(const struct doctor_row *rows, size_t count)
{
    for (int i = 0; i < DOCTOR_REPORT_LEVELS; i++) {
        enum doctor_state state = doctor_report_state(rows, count, i);
        if (state == DOCTOR_YES || state == DOCTOR_PART)
            return i;
    }
    return -1;
}

static const char *doctor_report_word(enum doctor_state state)
{
    static const char *const words[] = {
        [DOCTOR_YES] = "yes", [DOCTOR_PART] = "part", [DOCTOR_NO] = "no", [DOCTOR_UNKNOWN] = "?", [DOCTOR_FACT] = "-"};
    return words[state];
}

static void doctor_report_line(const char *label, const char *text)
{
    char clean[sizeof((struct doctor_finding *)0)->detail * 4];
    if (text[0])
        printf("      %-20s  %s\n", label, diag_clean(clean, sizeof clean, text));
}

static void doctor_report_row(const struct doctor_row *row)
{
    char clean[sizeof row->finding.detail * 4];
    printf("%-4s  %-20s  %s\n", doctor_report_word(row->finding.state), row->title,
           diag_clean(clean, sizeof clean, row->finding.detail));
    doctor_report_line("  why", row->finding.cause);
    doctor_report_line("  change it", row->finding.remedy);
}

// Whether some level may work, for all that is known.
static bool doctor_report_is_open(const struct doctor_row *rows, size_t count)
{
    for (int i = 0; i < DOCTOR_REPORT_LEVELS; i++)
        if (doctor_report_state(rows, count, i) == DOCTOR_UNKNOWN)
            return true;
    return false;
}

static void doctor_report_evidence(const struct doctor_row *rows, size_t count)
{
    const struct doctor_report_level *levels = doctor_report_levels;
    printf("\nevidence a run would have here, the best first\n");
    for (int i = 0; i < DOCTOR_REPORT_LEVELS; i++)
        printf("%-4s  %d %-10s %s\n", doctor_report_word(doctor_report_state(rows, count, i)), levels[i].level,
               levels[i].collector, levels[i].what);
    int best = doctor_report_best(rows, count);
    if (best >= 0)
        printf("\nA run here rests on level %d, %s: %s.\n", levels[best].level, levels[best].collector,
               levels[best].what);
    else if (doctor_report_is_open(rows, count))
        printf("\nRun this on the target machine to see which of them work.\n");
    else
        printf("\nA run here has no evidence at all.\n");
}

void doctor_report_print(const struct doctor_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        doctor_report_row(&rows[i]);
    doctor_report_evidence(rows, count);
}

static const char *doctor_report_json_state(enum doctor_state state)
{
    static const char *const words[] = {[DOCTOR_YES] = "yes", [DOCTOR_PART] = "part", [DOCTOR_NO] = "no",
                                        [DOCTOR_UNKNOWN] = "unknown", [DOCTOR_FACT] = "fact"};
    return words[state];
}

void doctor_report_json(const struct doctor_row *rows, size_t count)
{
    struct json json = json_begin(stdout, "doctor", 1);
    json_array(&json, "rows");
    for (size_t i = 0; i < count; i++) {
        const struct doctor_finding *f = &rows[i].finding;
        json_object(&json, NULL);
        json_text(&json, "id", rows[i].id);
        json_text(&json, "state", doctor_report_json_state(f->state));
        json_text_known(&json, "detail", f->detail);
        json_text_known(&json, "cause", f->cause);
        json_text_known(&json, "remedy", f->remedy);
        json_close(&json);
    }
    json_close(&json);
    json_array(&json, "evidence");
    for (int i = 0; i < DOCTOR_REPORT_LEVELS; i++) {
        json_object(&json, NULL);
        json_number(&json, "level", doctor_report_levels[i].level);
        json_text(&json, "collector", doctor_report_levels[i].collector);
        json_text(&json, "state", doctor_report_json_state(doctor_report_state(rows, count, i)));
        json_close(&json);
    }
    json_close(&json);
    int best = doctor_report_best(rows, count);
    json_number_known(&json, "best_level", best < 0 ? -1 : doctor_report_levels[best].level);
    json_end(&json);
}
