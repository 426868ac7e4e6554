// SPDX-License-Identifier: Apache-2.0
// The form is stable: members are added, never renamed or removed, unless "format" is raised. Encodings are
// hexadecimal strings, since they need all of 64 bits.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "profiler/events_view.h"

enum { EVENTS_JSON_FORMAT = 1 };

// Every member says what stands before it: '{' for the first one of an object, ',' for the others.
static void events_json_key(char before, const char *key)
{
    putchar(before);
    json_text(stdout, key);
    putchar(':');
}

static void events_json_text(char before, const char *key, const char *text)
{
    events_json_key(before, key);
    if (text)
        json_text(stdout, text);
    else
        fputs("null", stdout);
}

static void events_json_number(char before, const char *key, int64_t value)
{
    events_json_key(before, key);
    json_number(stdout, value, -1);
}

static void events_json_hex(char before, const char *key, uint64_t value)
{
    events_json_key(before, key);
    printf("\"0x%" PRIx64 "\"", value);
}

static void events_json_bool(char before, const char *key, bool value)
{
    events_json_key(before, key);
    fputs(value ? "true" : "false", stdout);
}

// "a,b" as ["a","b"]; NULL as [].
static void events_json_words(char before, const char *key, const char *words)
{
    char word[64];
    events_json_key(before, key);
    putchar('[');
    for (const char *rest = words; rest && *rest; rest += *rest == ',') {
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        if (rest != words)
            putchar(',');
        json_text(stdout, word);
        rest += length;
    }
    putchar(']');
}

static void events_json_machine(const struct events_view *view)
{
    const struct cpu_identity *machine = view->machine;
    events_json_key(',', "machine");
    if (!machine) {
        fputs("null", stdout);
        return;
    }
    events_json_text('{', "vendor", machine->vendor);
    events_json_number(',', "family", machine->family);
    events_json_number(',', "model", machine->model);
    events_json_number(',', "stepping", machine->stepping);
    events_json_text(',', "name", *machine->name ? machine->name : NULL);
    events_json_bool(',', "pmu_seen", view->pmu_seen);
    putchar('}');
}

static void events_json_names(const struct catalogue_cpu *cpu)
{
    events_json_text('{', "name", cpu->name);
    events_json_key(',', "other_names");
    putchar('[');
    for (int i = 0; i < CATALOGUE_OTHER_NAMES && cpu->other_names[i]; i++) {
        if (i)
            putchar(',');
        json_text(stdout, cpu->other_names[i]);
    }
    putchar(']');
    events_json_text(',', "title", cpu->title);
}

static void events_json_offcore(const struct catalogue_cpu *cpu)
{
    events_json_key(',', "offcore");
    if (!cpu->offcore_registers) {
        fputs("null", stdout);
        return;
    }
    events_json_number('{', "registers", cpu->offcore_registers);
    events_json_bool(',', "shared_by_hyperthreads", cpu->offcore_shared);
    events_json_text(',', "counters", cpu->offcore_counters);
    events_json_hex(',', "mask", cpu->offcore_mask);
    putchar('}');
}

static void events_json_sampling(const struct catalogue_sampling *sampling)
{
    events_json_key(',', "sampling");
    events_json_text('{', "method", sampling->method);
    events_json_hex(',', "config", sampling->config);
    events_json_hex(',', "leader", sampling->leader);
    events_json_text(',', "counters", sampling->counters);
    events_json_text(',', "decode", sampling->decode);
    events_json_text(',', "text", sampling->text);
    putchar('}');
}

static void events_json_about(const struct catalogue_cpu *cpu)
{
    fputs(",\n \"cpu\":", stdout);
    events_json_names(cpu);
    events_json_text(',', "libpfm", cpu->libpfm);
    events_json_text(',', "pmu", cpu->pmu);
    events_json_bool(',', "node_wide", cpu->node_wide);
    events_json_number(',', "counters", cpu->counters);
    events_json_number(',', "counters_without_hyperthreads", cpu->counters_alone);
    events_json_bool(',', "watchdog_takes_one", cpu->watchdog_takes_one);
    events_json_offcore(cpu);
    events_json_text(',', "clusters", cpu->clusters);
    events_json_text(',', "clusters_text", cpu->clusters_text);
    events_json_sampling(&cpu->sampling);
    putchar('}');
}

static void events_json_answers(const struct plan *plan)
{
    fputs(",\n \"answers\":[", stdout);
    for (int i = 0; i < plan->answer_count; i++) {
        const struct plan_answer *answer = &plan->answers[i];
        fputs(i ? ",\n  " : "\n  ", stdout);
        events_json_text('{', "topic", answer->topic);
        events_json_text(',', "status", answer->status);
        events_json_text(',', "class", answer->class);
        events_json_bool(',', "in_turn", answer->in_turn);
        events_json_text(',', "why", *answer->why ? answer->why : NULL);
        putchar('}');
    }
    putchar(']');
}

static void events_json_event_key(const struct catalogue_event *event)
{
    events_json_text('{', "class", event->class);
    events_json_text(',', "placement", event->placement);
    events_json_text(',', "variant", event->variant);
}

static void events_json_groups(const struct plan *plan)
{
    fputs(",\n \"groups\":[", stdout);
    for (int i = 0; i < plan->group_count; i++) {
        fputs(i ? ",\n  [" : "\n  [", stdout);
        for (int k = 0; k < plan->groups[i].count; k++) {
            if (k)
                putchar(',');
            events_json_event_key(plan->groups[i].events[k]);
            putchar('}');
        }
        putchar(']');
    }
    putchar(']');
}

static void events_json_event(const struct catalogue_event *event)
{
    const char *confidence = catalogue_confidence(event);
    bool named = strcmp(confidence, event->sources) != 0; // else it is derived, unverified or in conflict
    events_json_event_key(event);
    events_json_hex(',', "config", event->config);
    events_json_hex(',', "config1", event->config1);
    events_json_text(',', "confidence", confidence);
    events_json_words(',', "sources", named ? event->sources : NULL);
    events_json_words(',', "notes", event->notes);
    events_json_text(',', "name", event->name);
    putchar('}');
}

static void events_json_events(const struct events_view *view)
{
    const struct catalogue *catalogue = view->catalogue;
    const char *separator = "\n  ";
    fputs(",\n \"events\":[", stdout);
    for (int i = 0; i < catalogue->event_count; i++) {
        if (!catalogue_is_of(catalogue, catalogue->events[i].cpus, view->cpu))
            continue;
        fputs(separator, stdout);
        events_json_event(&catalogue->events[i]);
        separator = ",\n  ";
    }
    putchar(']');
}

static void events_json_notes(const struct events_view *view)
{
    const struct catalogue *catalogue = view->catalogue;
    char before = '{';
    fputs(",\n \"notes\":", stdout);
    for (int i = 0; i < catalogue->note_count; i++) {
        if (!catalogue_is_of(catalogue, catalogue->notes[i].cpus, view->cpu))
            continue;
        events_json_text(before, catalogue->notes[i].key, catalogue->notes[i].text);
        before = ',';
    }
    fputs(before == '{' ? "{}" : "}", stdout);
}

void events_json_cpu(const struct events_view *view)
{
    events_json_number('{', "format", EVENTS_JSON_FORMAT);
    events_json_machine(view);
    events_json_about(view->cpu);
    events_json_bool(',', "split_sockets", view->split);
    events_json_text(',', "local", view->plan.local);
    events_json_answers(&view->plan);
    events_json_groups(&view->plan);
    events_json_events(view);
    events_json_notes(view);
    puts("}");
}

void events_json_list(const struct catalogue *catalogue)
{
    events_json_number('{', "format", EVENTS_JSON_FORMAT);
    fputs(",\n \"cpus\":[", stdout);
    for (int i = 0; i < catalogue->cpu_count; i++) {
        fputs(i ? ",\n  " : "\n  ", stdout);
        events_json_names(&catalogue->cpus[i]);
        putchar('}');
    }
    puts("]}");
}
