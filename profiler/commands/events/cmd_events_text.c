// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/text/diag.h"
#include "profiler/commands/events/cmd_events_view.h"

static const char *cmd_events_text_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static void cmd_events_text_machine(const struct cmd_events_view *view)
{
    const struct cpu_identity *machine = view->machine;
    char vendor[4 * sizeof machine->vendor], name[4 * sizeof machine->name];
    printf("  this machine   %s", diag_clean(vendor, sizeof vendor, machine->vendor));
    if (machine->family >= 0)
        printf(", family %d", machine->family);
    printf(", model %#x", (unsigned)machine->model);
    if (machine->stepping >= 0)
        printf(", stepping %d", machine->stepping);
    printf("%s%s\n", *machine->name ? ": " : "", diag_clean(name, sizeof name, machine->name));
    if (machine->mixed)
        printf("  other CPUs     are of other models: these events count on CPUs like the first only\n");
    if (view->nodes == 1)
        printf("  nodes          one: no access can be remote\n");
    if (!view->pmu_seen)
        printf("  PMU            none: the kernel shows no %s below /sys/bus/event_source/devices, so nothing of this "
               "can be\n"
               "                 counted here; numaprof doctor tells why\n",
               cmd_events_text_or(view->cpu->pmu, "cpu PMU"));
}

static void cmd_events_text_counters(const struct event_cpu *cpu)
{
    printf("  counters       %d", cpu->counters);
    if (cpu->counters_alone != cpu->counters)
        printf(", %d without hyperthreads", cpu->counters_alone);
    if (cpu->node_wide)
        printf(", shared by all cores of a node: nothing about single threads, and privilege is needed");
    if (cpu->watchdog_takes_one)
        printf(", one less while the NMI watchdog runs");
    if (cpu->offcore_registers)
        printf("; %d offcore-response register%s, %s", cpu->offcore_registers, cpu->offcore_registers > 1 ? "s" : "",
               cpu->offcore_shared ? "shared by hyperthreads" : "own for each hyperthread");
    if (cpu->offcore_registers && strcmp(cpu->offcore_counters, "all") != 0)
        printf(", with counters %s only", cpu->offcore_counters);
    putchar('\n');
}

static void cmd_events_text_sampling(const struct event_sampling *sampling)
{
    if (strcmp(sampling->method, "none") == 0) {
        printf("  load samples   none. %s\n", sampling->text);
        return;
    }
    printf("  load samples   %s", sampling->method);
    if (sampling->config)
        printf(", event %#" PRIx64, sampling->config);
    if (sampling->leader)
        printf(" behind %#" PRIx64, sampling->leader);
    if (strcmp(sampling->counters, "all") != 0)
        printf(", counters %s", sampling->counters);
    printf(", source from %s. %s\n", sampling->decode, sampling->text);
}

static void cmd_events_text_about(const struct cmd_events_view *view)
{
    const struct event_cpu *cpu = view->cpu;
    printf("%s: %s\n", cpu->name, cpu->title);
    if (view->machine)
        cmd_events_text_machine(view);
    cmd_events_text_counters(cpu);
    printf("  local means    %s\n", view->plan.local);
    if (cpu->clusters_text && !view->split)
        printf("  split sockets  %s\n", cpu->clusters_text);
    cmd_events_text_sampling(&cpu->sampling);
}

static void cmd_events_text_answers(const struct event_plan *plan)
{
    printf("\n%-11s %-8s %-13s %s\n", "QUESTION", "ANSWER", "CLASS", "REMARK");
    for (int i = 0; i < plan->answer_count; i++) {
        const struct event_plan_answer *answer = &plan->answers[i];
        const char *status = answer->class ? answer->status : "n/a";
        printf("%-11s %-8s %-13s %s\n", answer->topic, status, cmd_events_text_or(answer->class, "-"),
               *answer->why ? answer->why : "-");
    }
}

// "local_dram", "local_dram (snc)"
static const char *cmd_events_text_placement(const struct event_entry *event, char *out, size_t size)
{
    snprintf(out, size, event->variant ? "%s (%s)" : "%s", event->placement, event->variant);
    return out;
}

static void cmd_events_text_groups(const struct event_cpu *cpu, const struct event_plan *plan)
{
    printf("\nCOUNTED TOGETHER, in the order they are opened\n");
    char placement[64];
    for (int i = 0; i < plan->group_count; i++) {
        const struct event_plan_group *group = &plan->groups[i];
        printf("%2d  %-13s", i + 1, group->events[0]->class);
        for (int k = 0; k < group->count; k++)
            printf("%s%s", k ? " + " : " ", cmd_events_text_placement(group->events[k], placement, sizeof placement));
        putchar('\n');
    }
    if (plan->group_count == 0)
        printf(" -  nothing\n");
    else if (cpu->offcore_registers == 1) // docs/errors.md has the measurement
        printf("Local and remote take turns at the one register, as do the classes. With record --events demand_rd\n"
               "its two groups count two to four times as long, without stores and prefetches.\n");
}

static void cmd_events_text_event(const struct event_cpu *cpu, const struct event_entry *event)
{
    char placement[64], encoding[64];
    int n = snprintf(encoding, sizeof encoding, "%#" PRIx64, event->config);
    if (event->config1)
        snprintf(encoding + n, sizeof encoding - (size_t)n, ":%#" PRIx64, event->config1);
    printf("%-13s %-22s %-19s %-10s %-15s", event->class, cmd_events_text_placement(event, placement, sizeof placement),
           encoding, event_catalogue_confidence(event), cmd_events_text_or(event->notes, "-"));
    const char *name = cmd_events_text_or(event->name, "-");
    bool of_vendor = strncmp(name, "json:", 5) == 0;
    if (event->name && !of_vendor && cpu->libpfm)
        printf(" %s::%s\n", cpu->libpfm, name);
    else
        printf(" %s\n", of_vendor ? name + 5 : name);
}

// An alternative is used neither on whole nor on split sockets.
static bool cmd_events_text_shows(const struct cmd_events_view *view, const struct event_entry *event)
{
    bool alternative = event->variant && strcmp(event->variant, "snc") != 0;
    return event_catalogue_is_of(view->catalogue, event->cpus, view->cpu) && (view->all || !alternative);
}

static void cmd_events_text_events(const struct cmd_events_view *view)
{
    const struct event_catalogue *catalogue = view->catalogue;
    int alternatives = 0;
    printf("\n%-13s %-22s %-19s %-10s %-15s %s\n", "CLASS", "PLACEMENT", "CONFIG:CONFIG1", "CONFIDENCE", "NOTES",
           "NAME");
    for (int i = 0; i < catalogue->event_count; i++) {
        if (cmd_events_text_shows(view, &catalogue->events[i]))
            cmd_events_text_event(view->cpu, &catalogue->events[i]);
        else if (event_catalogue_is_of(catalogue, catalogue->events[i].cpus, view->cpu))
            alternatives++;
    }
    if (alternatives)
        printf("and %d alternative encodings that are not used: --all lists them\n", alternatives);
}

// Is the key one of "a,b"?
static bool cmd_events_text_has_key(const char *keys, const char *key)
{
    size_t length = strlen(key);
    for (const char *rest = keys; rest && *rest; rest += *rest == ',') {
        if (strncmp(rest, key, length) == 0 && (rest[length] == ',' || !rest[length]))
            return true;
        rest += strcspn(rest, ",");
    }
    return false;
}

static bool cmd_events_text_uses(const struct cmd_events_view *view, const struct event_note *note)
{
    const struct event_catalogue *catalogue = view->catalogue;
    for (int i = 0; i < catalogue->event_count; i++)
        if (cmd_events_text_shows(view, &catalogue->events[i]) &&
            cmd_events_text_has_key(catalogue->events[i].notes, note->key))
            return true;
    return false;
}

static void cmd_events_text_notes(const struct cmd_events_view *view)
{
    const struct event_catalogue *catalogue = view->catalogue;
    printf("\nNOTES\n");
    for (int i = 0; i < catalogue->note_count; i++) {
        const struct event_note *note = &catalogue->notes[i];
        if (event_catalogue_is_of(catalogue, note->cpus, view->cpu) && cmd_events_text_uses(view, note))
            printf("%-11s %s\n", note->key, note->text);
    }
}

void cmd_events_text_cpu(const struct cmd_events_view *view)
{
    cmd_events_text_about(view);
    cmd_events_text_answers(&view->plan);
    cmd_events_text_groups(view->cpu, &view->plan);
    cmd_events_text_events(view);
    cmd_events_text_notes(view);
}

static void cmd_events_text_list_cpu(const struct event_catalogue *catalogue, const struct event_cpu *cpu)
{
    printf("%-16s", cpu->name);
    char topic[16];
    for (const char *rest = event_plan_all_topics; *rest; rest += *rest == ',') {
        int length = (int)strcspn(rest, ",");
        snprintf(topic, sizeof topic, "%.*s", length, rest);
        const struct event_answer *answer = event_catalogue_answer(catalogue, cpu, topic);
        printf(" %-*s", length > 7 ? length : 7, answer && answer->class ? answer->status : "n/a");
        rest += length;
    }
    printf(" %s\n", cpu->title);
}

void cmd_events_text_list(const struct event_catalogue *catalogue)
{
    printf("%-16s", "NAME");
    for (const char *rest = event_plan_all_topics; *rest; rest += *rest == ',') {
        int length = (int)strcspn(rest, ",");
        printf(" %-7.*s", length, rest);
        rest += length;
    }
    printf(" CPU\n");
    for (int i = 0; i < catalogue->cpu_count; i++)
        cmd_events_text_list_cpu(catalogue, &catalogue->cpus[i]);
}
