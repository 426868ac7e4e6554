// SPDX-License-Identifier: Apache-2.0
// The form is stable: members are added, never renamed or removed, unless "format" is raised. Encodings are
// hexadecimal strings, since they need all of 64 bits.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/text/json.h"
#include "profiler/commands/events/cmd_events_view.h"

enum { CMD_EVENTS_JSON_FORMAT = 1 };

// Every member says what stands before it: '{' for the first one of an object, ',' for the others.
static void cmd_events_json_key(char before, const char *key)
{
    putchar(before);
    json_text(stdout, key);
    putchar(':');
}

static void cmd_events_json_text(char before, const char *key, const char *text)
{
    cmd_events_json_key(before, key);
    if (text)
        json_text(stdout, text);
    else
        fputs("null", stdout);
}

static void cmd_events_json_number(char before, const char *key, int64_t value)
{
    cmd_events_json_key(before, key);
    json_number(stdout, value, -1);
}

static void cmd_events_json_hex(char before, const char *key, uint64_t value)
{
    cmd_events_json_key(before, key);
    printf("\"0x%" PRIx64 "\"", value);
}

static void cmd_events_json_bool(char before, const char *key, bool value)
{
    cmd_events_json_key(before, key);
    fputs(value ? "true" : "false", stdout);
}

// "a,b" as ["a","b"]; NULL as [].
static void cmd_events_json_words(char before, const char *key, const char *words)
{
    char word[64];
    cmd_events_json_key(before, key);
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

static void cmd_events_json_machine(const struct cmd_events_view *view)
{
    const struct cpu_identity *machine = view->machine;
    cmd_events_json_key(',', "machine");
    if (!machine) {
        fputs("null", stdout);
        return;
    }
    cmd_events_json_text('{', "vendor", machine->vendor);
    cmd_events_json_number(',', "family", machine->family);
    cmd_events_json_number(',', "model", machine->model);
    cmd_events_json_number(',', "stepping", machine->stepping);
    cmd_events_json_text(',', "name", *machine->name ? machine->name : NULL);
    cmd_events_json_bool(',', "mixed", machine->mixed);
    cmd_events_json_bool(',', "pmu_seen", view->pmu_seen);
    putchar('}');
}

static void cmd_events_json_names(const struct event_cpu *cpu)
{
    cmd_events_json_text('{', "name", cpu->name);
    cmd_events_json_key(',', "other_names");
    putchar('[');
    for (int i = 0; i < EVENT_CATALOGUE_OTHER_NAMES && cpu->other_names[i]; i++) {
        if (i)
            putchar(',');
        json_text(stdout, cpu->other_names[i]);
    }
    putchar(']');
    cmd_events_json_text(',', "title", cpu->title);
}

static void cmd_events_json_offcore(const struct event_cpu *cpu)
{
    cmd_events_json_key(',', "offcore");
    if (!cpu->offcore_registers) {
        fputs("null", stdout);
        return;
    }
    cmd_events_json_number('{', "registers", cpu->offcore_registers);
    cmd_events_json_bool(',', "shared_by_hyperthreads", cpu->offcore_shared);
    cmd_events_json_text(',', "counters", cpu->offcore_counters);
    cmd_events_json_hex(',', "mask", cpu->offcore_mask);
    putchar('}');
}

static void cmd_events_json_sampling(const struct event_sampling *sampling)
{
    cmd_events_json_key(',', "sampling");
    cmd_events_json_text('{', "method", sampling->method);
    cmd_events_json_hex(',', "config", sampling->config);
    cmd_events_json_hex(',', "leader", sampling->leader);
    cmd_events_json_text(',', "counters", sampling->counters);
    cmd_events_json_text(',', "decode", sampling->decode);
    cmd_events_json_text(',', "text", sampling->text);
    putchar('}');
}

static void cmd_events_json_about(const struct event_cpu *cpu)
{
    fputs(",\n \"cpu\":", stdout);
    cmd_events_json_names(cpu);
    cmd_events_json_text(',', "libpfm", cpu->libpfm);
    cmd_events_json_text(',', "pmu", cpu->pmu);
    cmd_events_json_bool(',', "node_wide", cpu->node_wide);
    cmd_events_json_number(',', "counters", cpu->counters);
    cmd_events_json_number(',', "counters_without_hyperthreads", cpu->counters_alone);
    cmd_events_json_bool(',', "watchdog_takes_one", cpu->watchdog_takes_one);
    cmd_events_json_offcore(cpu);
    cmd_events_json_text(',', "clusters", cpu->clusters);
    cmd_events_json_text(',', "clusters_text", cpu->clusters_text);
    cmd_events_json_sampling(&cpu->sampling);
    putchar('}');
}

static void cmd_events_json_answers(const struct event_plan *plan)
{
    fputs(",\n \"answers\":[", stdout);
    for (int i = 0; i < plan->answer_count; i++) {
        const struct event_plan_answer *answer = &plan->answers[i];
        fputs(i ? ",\n  " : "\n  ", stdout);
        cmd_events_json_text('{', "topic", answer->topic);
        cmd_events_json_text(',', "status", answer->status);
        cmd_events_json_text(',', "class", answer->class);
        cmd_events_json_bool(',', "in_turn", answer->in_turn);
        cmd_events_json_text(',', "why", *answer->why ? answer->why : NULL);
        putchar('}');
    }
    putchar(']');
}

static void cmd_events_json_event_key(const struct event_entry *event)
{
    cmd_events_json_text('{', "class", event->class);
    cmd_events_json_text(',', "placement", event->placement);
    cmd_events_json_text(',', "variant", event->variant);
}

static void cmd_events_json_groups(const struct event_plan *plan)
{
    fputs(",\n \"groups\":[", stdout);
    for (int i = 0; i < plan->group_count; i++) {
        fputs(i ? ",\n  [" : "\n  [", stdout);
        for (int k = 0; k < plan->groups[i].count; k++) {
            if (k)
                putchar(',');
            cmd_events_json_event_key(plan->groups[i].events[k]);
            putchar('}');
        }
        putchar(']');
    }
    putchar(']');
}

static void cmd_events_json_event(const struct event_entry *event)
{
    const char *confidence = event_catalogue_confidence(event);
    bool named = strcmp(confidence, event->sources) != 0; // else it is derived, unverified or in conflict
    cmd_events_json_event_key(event);
    cmd_events_json_hex(',', "config", event->config);
    cmd_events_json_hex(',', "config1", event->config1);
    cmd_events_json_text(',', "confidence", confidence);
    cmd_events_json_words(',', "sources", named ? event->sources : NULL);
    cmd_events_json_words(',', "notes", event->notes);
    cmd_events_json_text(',', "name", event->name);
    putchar('}');
}

static void cmd_events_json_events(const struct cmd_events_view *view)
{
    const struct event_catalogue *catalogue = view->catalogue;
    const char *separator = "\n  ";
    fputs(",\n \"events\":[", stdout);
    for (int i = 0; i < catalogue->event_count; i++) {
        if (!event_catalogue_is_of(catalogue, catalogue->events[i].cpus, view->cpu))
            continue;
        fputs(separator, stdout);
        cmd_events_json_event(&catalogue->events[i]);
        separator = ",\n  ";
    }
    putchar(']');
}

static void cmd_events_json_notes(const struct cmd_events_view *view)
{
    const struct event_catalogue *catalogue = view->catalogue;
    char before = '{';
    fputs(",\n \"notes\":", stdout);
    for (int i = 0; i < catalogue->note_count; i++) {
        if (!event_catalogue_is_of(catalogue, catalogue->notes[i].cpus, view->cpu))
            continue;
        cmd_events_json_text(before, catalogue->notes[i].key, catalogue->notes[i].text);
        before = ',';
    }
    fputs(before == '{' ? "{}" : "}", stdout);
}

void cmd_events_json_cpu(const struct cmd_events_view *view)
{
    cmd_events_json_number('{', "format", CMD_EVENTS_JSON_FORMAT);
    cmd_events_json_machine(view);
    cmd_events_json_about(view->cpu);
    cmd_events_json_bool(',', "split_sockets", view->split);
    cmd_events_json_text(',', "local", view->plan.local);
    cmd_events_json_answers(&view->plan);
    cmd_events_json_groups(&view->plan);
    cmd_events_json_events(view);
    cmd_events_json_notes(view);
    puts("}");
}

void cmd_events_json_list(const struct event_catalogue *catalogue)
{
    cmd_events_json_number('{', "format", CMD_EVENTS_JSON_FORMAT);
    fputs(",\n \"cpus\":[", stdout);
    for (int i = 0; i < catalogue->cpu_count; i++) {
        fputs(i ? ",\n  " : "\n  ", stdout);
        cmd_events_json_names(&catalogue->cpus[i]);
        putchar('}');
    }
    puts("]}");
}
