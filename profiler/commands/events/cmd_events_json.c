// SPDX-License-Identifier: Apache-2.0
// The form is stable: members are added, never renamed or removed, unless the version is raised. Encodings are
// hexadecimal strings, since they need all of 64 bits.
#include <stdio.h>
#include <string.h>

#include "core/text/json.h"
#include "profiler/commands/events/cmd_events_view.h"

enum { CMD_EVENTS_JSON_VERSION = 1 };

// "a,b" as ["a", "b"]; NULL as [].
static void cmd_events_json_words(struct json *json, const char *key, const char *words)
{
    char word[64];
    json_array(json, key);
    for (const char *rest = words; rest && *rest; rest += *rest == ',') {
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        json_text(json, NULL, word);
        rest += length;
    }
    json_close(json);
}

static void cmd_events_json_machine(struct json *json, const struct cmd_events_view *view)
{
    const struct cpu_identity *machine = view->machine;
    if (!machine) {
        json_text(json, "machine", NULL);
        return;
    }
    json_object(json, "machine");
    json_text(json, "vendor", machine->vendor);
    json_number_known(json, "family", machine->family);
    json_number_known(json, "model", machine->model);
    json_number_known(json, "stepping", machine->stepping);
    json_text_known(json, "name", machine->name);
    json_flag(json, "mixed", machine->mixed);
    json_flag(json, "pmu_seen", view->pmu_seen);
    json_close(json);
}

static void cmd_events_json_names(struct json *json, const struct event_cpu *cpu)
{
    json_text(json, "name", cpu->name);
    json_array(json, "other_names");
    for (int i = 0; i < EVENT_CATALOGUE_OTHER_NAMES && cpu->other_names[i]; i++)
        json_text(json, NULL, cpu->other_names[i]);
    json_close(json);
    json_text(json, "title", cpu->title);
}

static void cmd_events_json_offcore(struct json *json, const struct event_cpu *cpu)
{
    if (!cpu->offcore_registers) {
        json_text(json, "offcore", NULL);
        return;
    }
    json_object(json, "offcore");
    json_number(json, "registers", cpu->offcore_registers);
    json_flag(json, "shared_by_hyperthreads", cpu->offcore_shared);
    json_text(json, "counters", cpu->offcore_counters);
    json_hex(json, "mask", cpu->offcore_mask);
    json_close(json);
}

static void cmd_events_json_sampling(struct json *json, const struct event_sampling *sampling)
{
    json_object(json, "sampling");
    json_text(json, "method", sampling->method);
    json_hex(json, "config", sampling->config);
    json_hex(json, "leader", sampling->leader);
    json_text(json, "counters", sampling->counters);
    json_text(json, "decode", sampling->decode);
    json_text(json, "text", sampling->text);
    json_close(json);
}

static void cmd_events_json_about(struct json *json, const struct event_cpu *cpu)
{
    json_object(json, "cpu");
    cmd_events_json_names(json, cpu);
    json_text(json, "libpfm", cpu->libpfm);
    json_text(json, "pmu", cpu->pmu);
    json_flag(json, "node_wide", cpu->node_wide);
    json_number_known(json, "counters", cpu->counters);
    json_number_known(json, "counters_without_hyperthreads", cpu->counters_alone);
    json_flag(json, "watchdog_takes_one", cpu->watchdog_takes_one);
    cmd_events_json_offcore(json, cpu);
    json_text(json, "clusters", cpu->clusters);
    json_text(json, "clusters_text", cpu->clusters_text);
    cmd_events_json_sampling(json, &cpu->sampling);
    json_close(json);
}

static void cmd_events_json_answers(struct json *json, const struct event_plan *plan)
{
    json_array(json, "answers");
    for (int i = 0; i < plan->answer_count; i++) {
        const struct event_plan_answer *answer = &plan->answers[i];
        json_object(json, NULL);
        json_text(json, "topic", answer->topic);
        json_text(json, "status", answer->status);
        json_text(json, "class", answer->class);
        json_flag(json, "in_turn", answer->in_turn);
        json_text_known(json, "why", answer->why);
        json_close(json);
    }
    json_close(json);
}

static void cmd_events_json_event_key(struct json *json, const struct event_entry *event)
{
    json_text(json, "class", event->class);
    json_text(json, "placement", event->placement);
    json_text(json, "variant", event->variant);
}

static void cmd_events_json_groups(struct json *json, const struct event_plan *plan)
{
    json_array(json, "groups");
    for (int i = 0; i < plan->group_count; i++) {
        json_array(json, NULL);
        for (int k = 0; k < plan->groups[i].count; k++) {
            json_object(json, NULL);
            cmd_events_json_event_key(json, plan->groups[i].events[k]);
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

static void cmd_events_json_event(struct json *json, const struct event_entry *event)
{
    const char *confidence = event_catalogue_confidence(event);
    bool named = strcmp(confidence, event->sources) != 0; // else it is derived, unverified or in conflict
    json_object(json, NULL);
    cmd_events_json_event_key(json, event);
    json_hex(json, "config", event->config);
    json_hex(json, "config1", event->config1);
    json_text(json, "confidence", confidence);
    cmd_events_json_words(json, "sources", named ? event->sources : NULL);
    cmd_events_json_words(json, "notes", event->notes);
    json_text(json, "name", event->name);
    json_close(json);
}

static void cmd_events_json_events(struct json *json, const struct cmd_events_view *view)
{
    const struct event_catalogue *catalogue = view->catalogue;
    json_array(json, "events");
    for (int i = 0; i < catalogue->event_count; i++)
        if (event_catalogue_is_of(catalogue, catalogue->events[i].cpus, view->cpu))
            cmd_events_json_event(json, &catalogue->events[i]);
    json_close(json);
}

static void cmd_events_json_notes(struct json *json, const struct cmd_events_view *view)
{
    const struct event_catalogue *catalogue = view->catalogue;
    json_object(json, "notes");
    for (int i = 0; i < catalogue->note_count; i++)
        if (event_catalogue_is_of(catalogue, catalogue->notes[i].cpus, view->cpu))
            json_text(json, catalogue->notes[i].key, catalogue->notes[i].text);
    json_close(json);
}

void cmd_events_json_cpu(const struct cmd_events_view *view)
{
    struct json json = json_begin(stdout, "events", CMD_EVENTS_JSON_VERSION);
    cmd_events_json_machine(&json, view);
    cmd_events_json_about(&json, view->cpu);
    json_flag(&json, "split_sockets", view->split);
    json_text(&json, "local", view->plan.local);
    cmd_events_json_answers(&json, &view->plan);
    cmd_events_json_groups(&json, &view->plan);
    cmd_events_json_events(&json, view);
    cmd_events_json_notes(&json, view);
    json_end(&json);
}

void cmd_events_json_list(const struct event_catalogue *catalogue)
{
    struct json json = json_begin(stdout, "cpus", CMD_EVENTS_JSON_VERSION);
    json_array(&json, "cpus");
    for (int i = 0; i < catalogue->cpu_count; i++) {
        json_object(&json, NULL);
        cmd_events_json_names(&json, &catalogue->cpus[i]);
        json_close(&json);
    }
    json_close(&json);
    json_end(&json);
}
