// SPDX-License-Identifier: Apache-2.0
#include "collectors/events/event_catalogue_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_CATALOGUE_READ_FIELDS = 8 };

struct event_catalogue_reader {
    struct event_catalogue *catalogue;
    struct event_cpu *cpu; // of the lines that describe a CPU; NULL: before the first
    uint64_t cpus;             // the last "for" line; 0: before the first
    bool only_cpus;
};

static const char blanks[] = " \t";

// Cuts the next word off *rest; NULL at the end, and for "-".
static char *event_catalogue_read_word(char **rest)
{
    *rest += strspn(*rest, blanks);
    char *word = *rest;
    *rest += strcspn(*rest, blanks);
    if (**rest)
        *(*rest)++ = '\0';
    return *word && strcmp(word, "-") != 0 ? word : NULL;
}

// What is left of the line, for texts; NULL if there is nothing or "-".
static char *event_catalogue_read_rest(char *rest)
{
    rest += strspn(rest, blanks);
    return *rest && strcmp(rest, "-") != 0 ? rest : NULL;
}

static int event_catalogue_read_number(const char *word, uint64_t *number)
{
    *number = 0;
    if (!word)
        return 0;
    char *end;
    errno = 0;
    *number = strtoull(word, &end, 0);
    return errno || *end || *word == '-' || *word == '+' ? -EINVAL : 0;
}

static int event_catalogue_read_int(const char *word, int *number)
{
    uint64_t large;
    int status = word ? event_catalogue_read_number(word, &large) : -EINVAL;
    if (status < 0 || large > 1024)
        return -EINVAL;
    *number = (int)large;
    return 0;
}

static int event_catalogue_read_cpu(struct event_catalogue_reader *reader, char *rest)
{
    struct event_catalogue *catalogue = reader->catalogue;
    if (catalogue->cpu_count == EVENT_CATALOGUE_CPUS)
        return -ENOSPC;
    reader->cpu = &catalogue->cpus[catalogue->cpu_count++];
    reader->cpu->name = event_catalogue_read_word(&rest);
    for (int i = 0; i < EVENT_CATALOGUE_OTHER_NAMES; i++)
        reader->cpu->other_names[i] = event_catalogue_read_word(&rest);
    return !reader->cpu->name ? -EINVAL : event_catalogue_read_rest(rest) ? -ENOSPC : 0;
}

static int event_catalogue_read_title(struct event_catalogue_reader *reader, char *rest)
{
    reader->cpu->title = event_catalogue_read_rest(rest);
    return reader->cpu->title ? 0 : -EINVAL;
}

static int event_catalogue_read_id(struct event_catalogue_reader *reader, char *rest)
{
    struct event_cpu_id *id = reader->cpu->ids;
    while (id->vendor)
        if (++id == reader->cpu->ids + EVENT_CATALOGUE_IDS)
            return -ENOSPC;
    id->vendor = event_catalogue_read_word(&rest);
    id->family = event_catalogue_read_word(&rest);
    bool has_models = rest[strspn(rest, blanks)] != '\0';
    id->models = event_catalogue_read_word(&rest);
    id->steppings = event_catalogue_read_word(&rest);
    return id->vendor && has_models ? 0 : -EINVAL;
}

static int event_catalogue_read_libpfm(struct event_catalogue_reader *reader, char *rest)
{
    reader->cpu->libpfm = event_catalogue_read_word(&rest);
    return 0;
}

static int event_catalogue_read_pmu(struct event_catalogue_reader *reader, char *rest)
{
    reader->cpu->pmu = event_catalogue_read_word(&rest);
    return 0;
}

static int event_catalogue_read_scope(struct event_catalogue_reader *reader, char *rest)
{
    const char *word = event_catalogue_read_word(&rest);
    reader->cpu->node_wide = word && strcmp(word, "node") == 0;
    return reader->cpu->node_wide ? 0 : -EINVAL;
}

static int event_catalogue_read_counters(struct event_catalogue_reader *reader, char *rest)
{
    int status = event_catalogue_read_int(event_catalogue_read_word(&rest), &reader->cpu->counters);
    return status < 0 ? status
                      : event_catalogue_read_int(event_catalogue_read_word(&rest), &reader->cpu->counters_alone);
}

static int event_catalogue_read_offcore(struct event_catalogue_reader *reader, char *rest)
{
    struct event_cpu *cpu = reader->cpu;
    int status = event_catalogue_read_int(event_catalogue_read_word(&rest), &cpu->offcore_registers);
    const char *sharing = event_catalogue_read_word(&rest);
    if (status < 0 || !sharing || (strcmp(sharing, "own") != 0 && strcmp(sharing, "shared") != 0))
        return -EINVAL;
    cpu->offcore_shared = strcmp(sharing, "shared") == 0;
    cpu->offcore_counters = event_catalogue_read_word(&rest);
    return cpu->offcore_counters ? event_catalogue_read_number(event_catalogue_read_word(&rest), &cpu->offcore_mask)
                                 : -EINVAL;
}

static int event_catalogue_read_watchdog(struct event_catalogue_reader *reader, char *rest)
{
    const char *word = event_catalogue_read_word(&rest);
    reader->cpu->watchdog_takes_one = word && strcmp(word, "general") == 0;
    return reader->cpu->watchdog_takes_one ? 0 : -EINVAL;
}

static int event_catalogue_read_clusters(struct event_catalogue_reader *reader, char *rest)
{
    reader->cpu->clusters = event_catalogue_read_word(&rest);
    reader->cpu->clusters_text = event_catalogue_read_rest(rest);
    return reader->cpu->clusters ? 0 : -EINVAL;
}

static int event_catalogue_read_sampling(struct event_catalogue_reader *reader, char *rest)
{
    struct event_sampling *sampling = &reader->cpu->sampling;
    sampling->method = event_catalogue_read_word(&rest);
    int status = event_catalogue_read_number(event_catalogue_read_word(&rest), &sampling->config);
    if (status == 0)
        status = event_catalogue_read_number(event_catalogue_read_word(&rest), &sampling->leader);
    sampling->counters = event_catalogue_read_word(&rest);
    sampling->decode = event_catalogue_read_word(&rest);
    sampling->text = event_catalogue_read_rest(rest);
    return sampling->method && sampling->counters && sampling->decode && sampling->text ? status : -EINVAL;
}

static int event_catalogue_read_for(struct event_catalogue_reader *reader, char *rest)
{
    const struct event_catalogue *catalogue = reader->catalogue;
    reader->cpus = 0;
    for (const char *name; (name = event_catalogue_read_word(&rest));) {
        int i = 0;
        while (i < catalogue->cpu_count && strcmp(catalogue->cpus[i].name, name) != 0)
            i++;
        if (i == catalogue->cpu_count)
            return -EINVAL;
        reader->cpus |= UINT64_C(1) << i;
    }
    return reader->cpus ? 0 : -EINVAL;
}

static int event_catalogue_read_note(struct event_catalogue_reader *reader, char *rest)
{
    struct event_catalogue *catalogue = reader->catalogue;
    if (catalogue->note_count == EVENT_CATALOGUE_NOTES)
        return -ENOSPC;
    struct event_note *note = &catalogue->notes[catalogue->note_count++];
    note->cpus = reader->cpus;
    note->key = event_catalogue_read_word(&rest);
    note->text = event_catalogue_read_rest(rest);
    return note->key && note->text ? 0 : -EINVAL;
}

static int event_catalogue_read_answer(struct event_catalogue_reader *reader, char *rest)
{
    struct event_catalogue *catalogue = reader->catalogue;
    if (catalogue->answer_count == EVENT_CATALOGUE_ANSWERS)
        return -ENOSPC;
    struct event_answer *answer = &catalogue->answers[catalogue->answer_count++];
    answer->cpus = reader->cpus;
    answer->topic = event_catalogue_read_word(&rest);
    answer->status = event_catalogue_read_word(&rest);
    answer->class = event_catalogue_read_word(&rest);
    answer->groups = event_catalogue_read_word(&rest);
    answer->text = event_catalogue_read_rest(rest);
    if (!answer->topic || !answer->status || !answer->class != !answer->groups)
        return -EINVAL;
    return answer->class || answer->text ? 0 : -EINVAL;
}

static int event_catalogue_read_event(struct event_catalogue_reader *reader, const char *class, char *rest)
{
    struct event_catalogue *catalogue = reader->catalogue;
    if (catalogue->event_count == EVENT_CATALOGUE_ENTRIES)
        return -ENOSPC;
    const char *fields[EVENT_CATALOGUE_READ_FIELDS];
    for (int i = 0; i < EVENT_CATALOGUE_READ_FIELDS; i++)
        fields[i] = event_catalogue_read_word(&rest);
    struct event_entry *event = &catalogue->events[catalogue->event_count++];
    *event = (struct event_entry){.cpus = reader->cpus,
                                  .class = class,
                                  .placement = fields[0],
                                  .variant = fields[1],
                                  .sources = fields[4],
                                  .notes = fields[5],
                                  .name = fields[6]};
    bool complete = event->placement && fields[2] && event->sources && !fields[7];
    if (!complete || event_catalogue_read_number(fields[2], &event->config) < 0)
        return -EINVAL;
    return event_catalogue_read_number(fields[3], &event->config1);
}

static const struct {
    const char *word;
    int (*read)(struct event_catalogue_reader *reader, char *rest);
    bool of_cpu;  // describes the CPU of the last "cpu" line
    bool of_cpus; // belongs to the CPUs of the last "for" line
} event_catalogue_read_lines[] = {
    {.word = "cpu", .read = event_catalogue_read_cpu},
    {.word = "for", .read = event_catalogue_read_for},
    {.word = "title", .read = event_catalogue_read_title, .of_cpu = true},
    {.word = "id", .read = event_catalogue_read_id, .of_cpu = true},
    {.word = "libpfm", .read = event_catalogue_read_libpfm, .of_cpu = true},
    {.word = "pmu", .read = event_catalogue_read_pmu, .of_cpu = true},
    {.word = "scope", .read = event_catalogue_read_scope, .of_cpu = true},
    {.word = "counters", .read = event_catalogue_read_counters, .of_cpu = true},
    {.word = "offcore", .read = event_catalogue_read_offcore, .of_cpu = true},
    {.word = "watchdog", .read = event_catalogue_read_watchdog, .of_cpu = true},
    {.word = "clusters", .read = event_catalogue_read_clusters, .of_cpu = true},
    {.word = "sampling", .read = event_catalogue_read_sampling, .of_cpu = true},
    {.word = "note", .read = event_catalogue_read_note, .of_cpus = true},
    {.word = "answer", .read = event_catalogue_read_answer, .of_cpus = true},
};

static int event_catalogue_read_line(struct event_catalogue_reader *reader, char *line)
{
    char *rest = line, *word = event_catalogue_read_word(&rest);
    if (!word || *word == '#')
        return 0;
    if (reader->only_cpus && strcmp(word, "for") == 0) {
        reader->cpu = NULL; // what follows is about events, up to the next "cpu"
        return 0;
    }
    if (reader->only_cpus && !reader->cpu && strcmp(word, "cpu") != 0)
        return 0;
    for (size_t i = 0; i < sizeof event_catalogue_read_lines / sizeof *event_catalogue_read_lines; i++) {
        if (strcmp(word, event_catalogue_read_lines[i].word) != 0)
            continue;
        if ((event_catalogue_read_lines[i].of_cpu && !reader->cpu) ||
            (event_catalogue_read_lines[i].of_cpus && !reader->cpus))
            return -EINVAL;
        return event_catalogue_read_lines[i].read(reader, rest);
    }
    return reader->cpus ? event_catalogue_read_event(reader, word, rest) : -EINVAL;
}

int event_catalogue_read(struct event_catalogue *catalogue, bool only_cpus, int *line)
{
    struct event_catalogue_reader reader = {.catalogue = catalogue, .only_cpus = only_cpus};
    char *rest = catalogue->text;
    *line = 0;
    for (char *one; (one = strsep(&rest, "\n"));) {
        ++*line;
        int status = event_catalogue_read_line(&reader, one);
        if (status < 0)
            return status;
    }
    return 0;
}
