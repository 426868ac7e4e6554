// SPDX-License-Identifier: Apache-2.0
#include "collectors/events/event_catalogue.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/events/event_catalogue_read.h"

#include "catalogue_text.h"
#include "event_words.h"

static int event_catalogue_make(struct event_catalogue **result, const char *text, bool only_cpus, int *line)
{
    int status = -ENOMEM;
    struct event_catalogue *catalogue = calloc(1, sizeof *catalogue);
    if (!catalogue || !(catalogue->text = strdup(text)))
        goto done;
    if ((status = event_catalogue_read(catalogue, only_cpus, line)) < 0)
        goto done;
    *result = catalogue;
    catalogue = NULL;
    status = 0;
done:
    event_catalogue_free(catalogue);
    return status;
}

int event_catalogue_parse(struct event_catalogue **result, const char *text, int *line)
{
    return event_catalogue_make(result, text, false, line);
}

int event_catalogue_load(struct event_catalogue **catalogue)
{
    int line;
    return event_catalogue_make(catalogue, catalogue_text, false, &line);
}

int event_catalogue_load_cpus(struct event_catalogue **catalogue)
{
    int line;
    return event_catalogue_make(catalogue, catalogue_text, true, &line);
}

void event_catalogue_free(struct event_catalogue *catalogue)
{
    if (catalogue)
        free(catalogue->text);
    free(catalogue);
}

// "0x10-0x1f,0x60"; NULL holds every number.
static bool event_catalogue_ranges_hold(const char *ranges, int number)
{
    if (!ranges)
        return true;
    while (*ranges) {
        char *end;
        long first = strtol(ranges, &end, 0), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 0);
        if (number >= first && number <= last)
            return true;
        ranges = end + (*end == ',');
        if (*end && *end != ',')
            return false;
    }
    return false;
}

static bool event_catalogue_id_matches(const struct event_cpu_id *id, const struct cpu_identity *identity)
{
    return id->vendor && strcmp(id->vendor, identity->vendor) == 0 &&
           event_catalogue_ranges_hold(id->family, identity->family) &&
           event_catalogue_ranges_hold(id->models, identity->model) &&
           event_catalogue_ranges_hold(id->steppings, identity->stepping);
}

const struct event_cpu *event_catalogue_identify(const struct event_catalogue *catalogue,
                                                 const struct cpu_identity *identity)
{
    for (const struct event_cpu *cpu = catalogue->cpus; cpu < catalogue->cpus + catalogue->cpu_count; cpu++)
        for (size_t i = 0; i < EVENT_CATALOGUE_IDS; i++)
            if (event_catalogue_id_matches(&cpu->ids[i], identity))
                return cpu;
    return NULL;
}

bool event_catalogue_is_fallback(const struct event_cpu *cpu)
{
    return !cpu->ids[0].models;
}

static const char *event_catalogue_skip_joints(const char *text)
{
    return text + strspn(text, "-_ ");
}

// How many letters two names have in common at their beginning, joints and case aside; *ended: name ended there.
static size_t event_catalogue_common_beginning(const char *name, const char *other, bool *ended, bool *both)
{
    size_t common = 0;
    name = event_catalogue_skip_joints(name);
    other = event_catalogue_skip_joints(other);
    while (*name && tolower((unsigned char)*name) == tolower((unsigned char)*other)) {
        common++;
        name = event_catalogue_skip_joints(name + 1);
        other = event_catalogue_skip_joints(other + 1);
    }
    *ended = !*name;
    *both = *ended && !*other;
    return common;
}

// How well a name given by a person fits a CPU: the best of its names.
struct event_catalogue_fit {
    size_t common;
    bool beginning, exact;
};

static struct event_catalogue_fit event_catalogue_fit(const struct event_cpu *cpu, const char *name)
{
    struct event_catalogue_fit best = {0};
    for (int i = -1; i < EVENT_CATALOGUE_OTHER_NAMES; i++) {
        const char *other = i < 0 ? cpu->name : cpu->other_names[i];
        if (!other)
            break;
        bool beginning, exact;
        size_t common = event_catalogue_common_beginning(name, other, &beginning, &exact);
        best.common = common > best.common ? common : best.common;
        best.beginning |= beginning;
        best.exact |= exact;
    }
    return best;
}

// The names of the CPUs that fit as well as the best one; nothing where that is one letter.
static void event_catalogue_list_near(const struct event_catalogue *catalogue, const char *name, char *near,
                                      size_t size)
{
    size_t best = 2, used = 0;
    for (int i = 0; i < catalogue->cpu_count; i++) {
        size_t common = event_catalogue_fit(&catalogue->cpus[i], name).common;
        best = common > best ? common : best;
    }
    near[0] = '\0';
    for (int i = 0; i < catalogue->cpu_count && used < size; i++)
        if (event_catalogue_fit(&catalogue->cpus[i], name).common == best)
            used += (size_t)snprintf(near + used, size - used, "%s%s", used ? ", " : "", catalogue->cpus[i].name);
}

int event_catalogue_find(const struct event_catalogue *catalogue, const char *name, const struct event_cpu **cpu,
                         char *near, size_t size)
{
    int beginnings = 0;
    for (int i = 0; i < catalogue->cpu_count; i++) {
        struct event_catalogue_fit fit = event_catalogue_fit(&catalogue->cpus[i], name);
        if (fit.exact || (fit.beginning && fit.common > 0)) {
            *cpu = &catalogue->cpus[i];
            beginnings++;
        }
        if (fit.exact)
            return 0;
    }
    if (beginnings == 1)
        return 0;
    event_catalogue_list_near(catalogue, name, near, size);
    return beginnings ? -ENOTUNIQ : -ENOENT;
}

bool event_catalogue_is_of(const struct event_catalogue *catalogue, uint64_t cpus, const struct event_cpu *cpu)
{
    return cpus >> (cpu - catalogue->cpus) & 1;
}

static bool event_catalogue_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

const struct event_entry *event_catalogue_entry(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                                const char *class, const char *placement, const char *variant)
{
    for (int i = 0; i < catalogue->event_count; i++) {
        const struct event_entry *event = &catalogue->events[i];
        if (event_catalogue_is_of(catalogue, event->cpus, cpu) && strcmp(event->class, class) == 0 &&
            strcmp(event->placement, placement) == 0 && event_catalogue_same(event->variant, variant))
            return event;
    }
    return NULL;
}

const struct event_answer *event_catalogue_answer(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                                  const char *topic)
{
    for (int i = 0; i < catalogue->answer_count; i++)
        if (event_catalogue_is_of(catalogue, catalogue->answers[i].cpus, cpu) &&
            strcmp(catalogue->answers[i].topic, topic) == 0)
            return &catalogue->answers[i];
    return NULL;
}

static const char *event_catalogue_note(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                        const char *key, size_t length)
{
    for (int i = 0; i < catalogue->note_count; i++) {
        const struct event_note *note = &catalogue->notes[i];
        if (event_catalogue_is_of(catalogue, note->cpus, cpu) && strlen(note->key) == length &&
            memcmp(note->key, key, length) == 0)
            return note->text;
    }
    return "";
}

char *event_catalogue_remark(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                             const struct event_entry *event, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *key = event->notes; key && *key && used < size; key += *key == ',') {
        size_t length = strcspn(key, ",");
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "",
                                 event_catalogue_note(catalogue, cpu, key, length));
        key += length;
    }
    return out;
}

const char *event_catalogue_confidence(const struct event_entry *event)
{
    static const char *const words[] = {"derived", "assumed", "unverified", "conflict"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(event->sources, words[i]) == 0)
            return words[i];
    return strchr(event->sources, ',') ? "two" : "one";
}

bool event_catalogue_is_slow(const struct event_entry *event)
{
    static const char *const slow[] = {EVENT_LOCAL_PMEM, EVENT_REMOTE_PMEM, EVENT_LOCAL_CXL, EVENT_REMOTE_CXL,
                                       EVENT_ANY_CXL, EVENT_LOCAL_OCAPI, EVENT_REMOTE_OCAPI};
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (strcmp(event->placement, slow[i]) == 0)
            return true;
    return false;
}

bool event_catalogue_is_retired(const struct event_entry *event)
{
    return strcmp(event->class, EVENT_RETIRED_LOAD) == 0;
}
