// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/diag.h"
#include "profiler/verify/result/verify_output.h"

enum { OUTPUT_CELL = 32, OUTPUT_CLEAN = 4 * VERIFY_TEXT_BYTES };

// The pattern in which the event must count the most lines.
static enum verify_pattern output_pattern(const struct verify *verify, size_t event)
{
    enum verify_pattern best = VERIFY_RANDOM;
    double most = 0;
    for (int pattern = 0; pattern < VERIFY_PATTERNS; pattern++)
        for (size_t i = 0; i < verify->from_count * verify->to_count; i++) {
            const struct verify_cell *cell = verify_cell(verify, event, (enum verify_pattern)pattern,
                                                         i / verify->to_count, i % verify->to_count);
            if (!cell->compared || cell->least + cell->most / 2 <= most) // a least number says more than a most
                continue;
            most = cell->least + cell->most / 2;
            best = (enum verify_pattern)pattern;
        }
    return best;
}

static const char *output_cell(char out[OUTPUT_CELL], const struct verify_cell *cell)
{
    if (!cell->counted)
        snprintf(out, OUTPUT_CELL, "-");
    else if (!cell->compared)
        snprintf(out, OUTPUT_CELL, "%" PRIu64 " / ?", cell->lines);
    else if (cell->least < cell->most)
        snprintf(out, OUTPUT_CELL, "%" PRIu64 " / %.0f-%.0f", cell->lines, cell->least, cell->most);
    else
        snprintf(out, OUTPUT_CELL, "%" PRIu64 " / %.0f", cell->lines, cell->most);
    return out;
}

static void output_heading(FILE *file, const struct verify *verify)
{
    fprintf(file, "\n%-28s  %-8s", "event", "CPUs of");
    for (size_t to = 0; to < verify->to_count; to++) {
        char memory[OUTPUT_CELL];
        snprintf(memory, sizeof memory, "memory of %d", verify->to[to]);
        fprintf(file, "  %15s", memory);
    }
    fputs("\n", file);
}

static void output_event(FILE *file, const struct verify *verify, size_t index)
{
    const struct verify_event *event = &verify->events[index];
    const enum verify_pattern pattern = output_pattern(verify, index);
    const bool is_loads = strcmp(event->class, "loads") == 0;
    char name[2 * VERIFY_WORDS_BYTES];
    snprintf(name, sizeof name, "%s %s", event->class, is_loads ? "sampled" : event->placement);
    for (size_t from = 0; from < verify->from_count; from++) {
        char node[16], cell[OUTPUT_CELL];
        snprintf(node, sizeof node, "node %d", verify->from[from]);
        fprintf(file, "%-28s  %-8s", from == 0 ? name : "", node);
        for (size_t to = 0; to < verify->to_count; to++) {
            const struct verify_loads *loads = verify_loads(verify, from, to);
            if (is_loads)
                snprintf(cell, sizeof cell, "%" PRIu64 " / %" PRIu64, loads->agree, loads->agree + loads->differ);
            else
                output_cell(cell, verify_cell(verify, index, pattern, from, to));
            fprintf(file, "  %15s", cell);
        }
        fprintf(file, "  %s\n", from > 0 ? "" : verify_word_name(event->word));
    }
    if (*event->why)
        fprintf(file, "    %s\n", event->why);
}

void verify_output_text(FILE *file, const struct verify *verify)
{
    char clean[OUTPUT_CLEAN];
    fprintf(file, "%s (%s), ", diag_clean(clean, sizeof clean, *verify->cpu ? verify->cpu : "unnamed CPU"),
            verify->uarch);
    fprintf(file, "microcode %s, ", diag_clean(clean, sizeof clean, *verify->microcode ? verify->microcode : "n/a"));
    fprintf(file, "Linux %s%s%s\n", diag_clean(clean, sizeof clean, verify->kernel),
            *verify->emulated ? ", emulated: " : "",
            verify->emulated);
    fprintf(file, "%s%s: counted / expected, medians of %d or more runs of %" PRIu64 " lines, in %.0f s\n", verify->at,
            verify->partial ? ", in part" : "", VERIFY_REPEATS, verify->lines, verify->seconds);
    output_heading(file, verify);
    for (size_t i = 0; i < verify->event_count; i++)
        output_event(file, verify, i);
    if (*verify->local)
        fprintf(file, "\nlocal is here: %s\n", verify->local);
    for (size_t i = 0; i < verify->note_count; i++)
        fprintf(file, "%s- %s\n", i == 0 ? "\nremarks\n" : "", verify->notes[i]);
}
