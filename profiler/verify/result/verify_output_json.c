// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "core/text/json.h"
#include "profiler/verify/result/verify_output.h"

static void output_nodes(struct json *json, const char *key, const int *nodes, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_number(json, NULL, nodes[i]);
    json_close(json);
}

static void output_cell(struct json *json, const struct verify *verify, size_t event, size_t index)
{
    const enum verify_pattern pattern = (enum verify_pattern)(index % VERIFY_PATTERNS);
    const size_t from = index / VERIFY_PATTERNS / verify->to_count, to = index / VERIFY_PATTERNS % verify->to_count;
    const struct verify_cell *cell = verify_cell(verify, event, pattern, from, to);
    if (!cell->counted)
        return;
    json_object(json, NULL);
    json_text(json, "pattern", verify_pattern_name(pattern));
    json_number(json, "from", verify->from[from]);
    json_number(json, "to", verify->to[to]);
    json_number(json, "counted", (int64_t)cell->lines);
    json_number(json, "runs", cell->run_count);
    json_number_known(json, "least", cell->compared ? llround(cell->least) : -1);
    json_number_known(json, "most", cell->compared ? llround(cell->most) : -1);
    json_text(json, "word", cell->compared ? verify_word_name(cell->word) : NULL);
    json_close(json);
}

static void output_loads(struct json *json, const struct verify *verify)
{
    json_array(json, "samples");
    for (size_t i = 0; i < verify->from_count * verify->to_count; i++) {
        json_object(json, NULL);
        json_number(json, "from", verify->from[i / verify->to_count]);
        json_number(json, "to", verify->to[i % verify->to_count]);
        json_number(json, "agree", (int64_t)verify->loads[i].agree);
        json_number(json, "differ", (int64_t)verify->loads[i].differ);
        json_close(json);
    }
    json_close(json);
}

static void output_counts(struct json *json, const struct verify *verify, size_t event)
{
    json_array(json, "counts");
    for (size_t i = 0; i < VERIFY_PATTERNS * verify->from_count * verify->to_count; i++)
        output_cell(json, verify, event, i);
    json_close(json);
}

static void output_event(struct json *json, const struct verify *verify, size_t index)
{
    const struct verify_event *event = &verify->events[index];
    json_object(json, NULL);
    json_text(json, "class", event->class);
    json_text_known(json, "placement", event->placement);
    json_hex(json, "config", event->config);
    json_hex(json, "config1", event->config1);
    json_text(json, "word", verify_word_name(event->word));
    json_text_known(json, "why", event->why);
    if (strcmp(event->class, "loads") == 0)
        output_loads(json, verify);
    else
        output_counts(json, verify, index);
    json_close(json);
}

void verify_output_json(FILE *file, const struct verify *verify)
{
    struct json json = json_begin(file, "verify", 1);
    json_text(&json, "at", verify->at);
    json_text_known(&json, "cpu", verify->cpu);
    json_text_known(&json, "uarch", verify->uarch);
    json_text_known(&json, "kernel", verify->kernel);
    json_text_known(&json, "microcode", verify->microcode);
    json_text_known(&json, "emulated", verify->emulated);
    json_text_known(&json, "local", verify->local);
    json_flag(&json, "partial", verify->partial);
    json_real(&json, "seconds", verify->seconds);
    json_number(&json, "lines", (int64_t)verify->lines);
    json_number(&json, "repeats", VERIFY_REPEATS);
    output_nodes(&json, "from", verify->from, verify->from_count);
    output_nodes(&json, "to", verify->to, verify->to_count);
    json_array(&json, "events");
    for (size_t i = 0; i < verify->event_count; i++)
        output_event(&json, verify, i);
    json_close(&json);
    json_array(&json, "remarks");
    for (size_t i = 0; i < verify->note_count; i++)
        json_text(&json, NULL, verify->notes[i]);
    json_close(&json);
    json_end(&json);
}
