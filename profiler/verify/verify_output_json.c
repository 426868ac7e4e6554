// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <string.h>

#include "core/text/json.h"
#include "profiler/verify/verify_output.h"

static void output_field(FILE *file, const char *name, const char *text)
{
    fprintf(file, ", \"%s\": ", name);
    if (*text)
        json_text(file, text);
    else
        fputs("null", file);
}

static void output_nodes(FILE *file, const char *name, const int *nodes, size_t count)
{
    fprintf(file, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%d", i > 0 ? ", " : "", nodes[i]);
    fputs("]", file);
}

static void output_cell(FILE *file, const struct verify *verify, size_t event, size_t index, bool *first)
{
    const enum verify_pattern pattern = (enum verify_pattern)(index % VERIFY_PATTERNS);
    const size_t from = index / VERIFY_PATTERNS / verify->to_count, to = index / VERIFY_PATTERNS % verify->to_count;
    const struct verify_cell *cell = verify_cell(verify, event, pattern, from, to);
    if (!cell->counted)
        return;
    fprintf(file, "%s\n      {\"pattern\": ", *first ? "" : ",");
    *first = false;
    json_text(file, verify_pattern_name(pattern));
    fprintf(file, ", \"from\": %d, \"to\": %d, \"counted\": %" PRIu64 ", \"runs\": %d", verify->from[from], verify->to[to],
            cell->lines, cell->run_count);
    if (cell->compared)
        fprintf(file, ", \"least\": %.0f, \"most\": %.0f, \"word\": \"%s\"}", cell->least, cell->most,
                verify_word_name(cell->word));
    else
        fputs(", \"least\": null, \"most\": null, \"word\": null}", file);
}

static void output_loads(FILE *file, const struct verify *verify)
{
    const size_t pairs = verify->from_count * verify->to_count;
    for (size_t i = 0; i < pairs; i++)
        fprintf(file, "%s\n      {\"from\": %d, \"to\": %d, \"agree\": %" PRIu64 ", \"differ\": %" PRIu64 "}",
                i > 0 ? "," : "", verify->from[i / verify->to_count], verify->to[i % verify->to_count],
                verify->loads[i].agree, verify->loads[i].differ);
}

static void output_event(FILE *file, const struct verify *verify, size_t index)
{
    const struct verify_event *event = &verify->events[index];
    const bool is_loads = strcmp(event->class, "loads") == 0;
    bool first = true;
    fprintf(file, "%s\n    {\"class\": \"%s\"", index > 0 ? "," : "", event->class);
    output_field(file, "placement", event->placement);
    fprintf(file, ", \"config\": \"%#" PRIx64 "\", \"config1\": \"%#" PRIx64 "\", \"word\": \"%s\"", event->config,
            event->config1, verify_word_name(event->word));
    output_field(file, "why", event->why);
    fprintf(file, ", \"%s\": [", is_loads ? "samples" : "counts");
    if (is_loads)
        output_loads(file, verify);
    for (size_t i = 0; !is_loads && i < VERIFY_PATTERNS * verify->from_count * verify->to_count; i++)
        output_cell(file, verify, index, i, &first);
    fputs("]}", file);
}

void verify_output_json(FILE *file, const struct verify *verify)
{
    fprintf(file, "{\"format\": 1, \"at\": \"%s\"", verify->at);
    output_field(file, "cpu", verify->cpu);
    output_field(file, "uarch", verify->uarch);
    output_field(file, "kernel", verify->kernel);
    output_field(file, "microcode", verify->microcode);
    output_field(file, "emulated", verify->emulated);
    output_field(file, "local", verify->local);
    fprintf(file, ", \"partial\": %s, \"seconds\": %.1f, \"lines\": %" PRIu64 ", \"repeats\": %d",
            verify->partial ? "true" : "false", verify->seconds, verify->lines, VERIFY_REPEATS);
    output_nodes(file, "from", verify->from, verify->from_count);
    output_nodes(file, "to", verify->to, verify->to_count);
    fputs(",\n  \"events\": [", file);
    for (size_t i = 0; i < verify->event_count; i++)
        output_event(file, verify, i);
    fputs("],\n  \"remarks\": [", file);
    for (size_t i = 0; i < verify->note_count; i++) {
        fputs(i > 0 ? ", " : "", file);
        json_text(file, verify->notes[i]);
    }
    fputs("]}\n", file);
}
