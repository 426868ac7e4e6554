// SPDX-License-Identifier: Apache-2.0
#include "collectors/catalogue_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CATALOGUE_READ_FIELDS = 8 };

struct catalogue_reader {
    struct catalogue *catalogue;
    struct catalogue_cpu *cpu; // of the lines that describe a CPU; NULL: before the first
    uint64_t cpus;             // the last "for" line; 0: before the first
    bool only_cpus;
};

static const char blanks[] = " \t";

// Cuts the next word off *rest; NULL at the end, and for "-".
static char *catalogue_read_word(char **rest)
{
    *rest += strspn(*rest, blanks);
    char *word = *rest;
    *rest += strcspn(*rest, blanks);
    if (**rest)
        *(*rest)++ = '\0';
    return *word && strcmp(word, "-") != 0 ? word : NULL;
}

// What is left of the line, for texts; NULL if there is nothing or "-".
static char *catalogue_read_rest(char *rest)
{
    rest += strspn(rest, blanks);
    return *rest && strcmp(rest, "-") != 0 ? rest : NULL;
}

static int catalogue_read_number(const char *word, uint64_t *number)
{
    *number = 0;
    if (!word)
        return 0;
    char *end;
    errno = 0;
    *number = strtoull(word, &end, 0);
    return errno || *end || *word == '-' || *word == '+' ? -EINVAL : 0;
}

static int catalogue_read_int(const char *word, int *number)
{
    uint64_t large;
    int status = word ? catalogue_read_number(word, &large) : -EINVAL;
    if (status < 0 || large > 1024)
        return -EINVAL;
    *number = (int)large;
    return 0;
}

static int catalogue_read_cpu(struct catalogue_reader *reader, char *rest)
{
    struct catalogue *catalogue = reader->catalogue;
    if (catalogue->cpu_count == CATALOGUE_CPUS)
        return -ENOSPC;
    reader->cpu = &catalogue->cpus[catalogue->cpu_count++];
    reader->cpu->name = catalogue_read_word(&rest);
    for (int i = 0; i < CATALOGUE_OTHER_NAMES; i++)
        reader->cpu->other_names[i] = catalogue_read_word(&rest);
    return !reader->cpu->name ? -EINVAL : catalogue_read_rest(rest) ? -ENOSPC : 0;
}

static int catalogue_read_title(struct catalogue_reader *reader, char *rest)
{
    reader->cpu->title = catalogue_read_rest(rest);
    return reader->cpu->title ? 0 : -EINVAL;
}

static int catalogue_read_id(struct catalogue_reader *reader, char *rest)
{
    struct catalogue_id *id = reader->cpu->ids;
    while (id->vendor)
        if (++id == reader->cpu->ids + CATALOGUE_IDS)
            return -ENOSPC;
    id->vendor = catalogue_read_word(&rest);
    id->family = catalogue_read_word(&rest);
    id->models = catalogue_read_word(&rest);
    id->steppings = catalogue_read_word(&rest);
    return id->vendor && id->models ? 0 : -EINVAL;
}

static int catalogue_read_libpfm(struct catalogue_reader *reader, char *rest)
{
    reader->cpu->libpfm = catalogue_read_word(&rest);
    return 0;
}

static int catalogue_read_pmu(struct catalogue_reader *reader, char *rest)
{
    reader->cpu->pmu = catalogue_read_word(&rest);
    return 0;
}

static int catalogue_read_scope(struct catalogue_reader *reader, char *rest)
{
    const char *word = catalogue_read_word(&rest);
    reader->cpu->node_wide = word && strcmp(word, "node") == 0;
    return reader->cpu->node_wide ? 0 : -EINVAL;
}

static int catalogue_read_counters(struct catalogue_reader *reader, char *rest)
{
    int status = catalogue_read_int(catalogue_read_word(&rest), &reader->cpu->counters);
    return status < 0 ? status : catalogue_read_int(catalogue_read_word(&rest), &reader->cpu->counters_alone);
}

static int catalogue_read_offcore(struct catalogue_reader *reader, char *rest)
{
    struct catalogue_cpu *cpu = reader->cpu;
    int status = catalogue_read_int(catalogue_read_word(&rest), &cpu->offcore_registers);
    const char *sharing = catalogue_read_word(&rest);
    if (status < 0 || !sharing || (strcmp(sharing, "own") != 0 && strcmp(sharing, "shared") != 0))
        return -EINVAL;
    cpu->offcore_shared = strcmp(sharing, "shared") == 0;
    cpu->offcore_counters = catalogue_read_word(&rest);
    return cpu->offcore_counters ? catalogue_read_number(catalogue_read_word(&rest), &cpu->offcore_mask) : -EINVAL;
}

static int catalogue_read_watchdog(struct catalogue_reader *reader, char *rest)
{
    const char *word = catalogue_read_word(&rest);
    reader->cpu->watchdog_takes_one = word && strcmp(word, "general") == 0;
    return reader->cpu->watchdog_takes_one ? 0 : -EINVAL;
}

static int catalogue_read_clusters(struct catalogue_reader *reader, char *rest)
{
    reader->cpu->clusters = catalogue_read_word(&rest);
    reader->cpu->clusters_text = catalogue_read_rest(rest);
    return reader->cpu->clusters ? 0 : -EINVAL;
}

static int catalogue_read_sampling(struct catalogue_reader *reader, char *rest)
{
    struct catalogue_sampling *sampling = &reader->cpu->sampling;
    sampling->method = catalogue_read_word(&rest);
    int status = catalogue_read_number(catalogue_read_word(&rest), &sampling->config);
    if (status == 0)
        status = catalogue_read_number(catalogue_read_word(&rest), &sampling->leader);
    sampling->counters = catalogue_read_word(&rest);
    sampling->decode = catalogue_read_word(&rest);
    sampling->text = catalogue_read_rest(rest);
    return sampling->method && sampling->counters && sampling->decode && sampling->text ? status : -EINVAL;
}

static int catalogue_read_for(struct catalogue_reader *reader, char *rest)
{
    const struct catalogue *catalogue = reader->catalogue;
    reader->cpus = 0;
    for (const char *name; (name = catalogue_read_word(&rest));) {
        int i = 0;
        while (i < catalogue->cpu_count && strcmp(catalogue->cpus[i].name, name) != 0)
            i++;
        if (i == catalogue->cpu_count)
            return -EINVAL;
        reader->cpus |= UINT64_C(1) << i;
    }
    return reader->cpus ? 0 : -EINVAL;
}

static int catalogue_read_note(struct catalogue_reader *reader, char *rest)
{
    struct catalogue *catalogue = reader->catalogue;
    if (catalogue->note_count == CATALOGUE_NOTES)
        return -ENOSPC;
    struct catalogue_note *note = &catalogue->notes[catalogue->note_count++];
    note->cpus = reader->cpus;
    note->key = catalogue_read_word(&rest);
    note->text = catalogue_read_rest(rest);
    return note->key && note->text ? 0 : -EINVAL;
}

static int catalogue_read_answer(struct catalogue_reader *reader, char *rest)
{
    struct catalogue *catalogue = reader->catalogue;
    if (catalogue->answer_count == CATALOGUE_ANSWERS)
        return -ENOSPC;
    struct catalogue_answer *answer = &catalogue->answers[catalogue->answer_count++];
    answer->cpus = reader->cpus;
    answer->topic = catalogue_read_word(&rest);
    answer->status = catalogue_read_word(&rest);
    answer->class = catalogue_read_word(&rest);
    answer->groups = catalogue_read_word(&rest);
    answer->text = catalogue_read_rest(rest);
    if (!answer->topic || !answer->status || !answer->class != !answer->groups)
        return -EINVAL;
    return answer->class || answer->text ? 0 : -EINVAL;
}

static int catalogue_read_event(struct catalogue_reader *reader, const char *class, char *rest)
{
    struct catalogue *catalogue = reader->catalogue;
    if (catalogue->event_count == CATALOGUE_EVENTS)
        return -ENOSPC;
    const char *fields[CATALOGUE_READ_FIELDS];
    for (int i = 0; i < CATALOGUE_READ_FIELDS; i++)
        fields[i] = catalogue_read_word(&rest);
    struct catalogue_event *event = &catalogue->events[catalogue->event_count++];
    *event = (struct catalogue_event){.cpus = reader->cpus, .class = class, .placement = fields[0], .variant = fields[1],
                                      .sources = fields[4], .notes = fields[5], .name = fields[6]};
    bool complete = event->placement && fields[2] && event->sources && !fields[7];
    if (!complete || catalogue_read_number(fields[2], &event->config) < 0)
        return -EINVAL;
    return catalogue_read_number(fields[3], &event->config1);
}

static const struct {
    const char *word;
    int (*read)(struct catalogue_reader *reader, char *rest);
    bool of_cpu;  // describes the CPU of the last "cpu" line
    bool of_cpus; // belongs to the CPUs of the last "for" line
} catalogue_read_lines[] = {
    {.word = "cpu", .read = catalogue_read_cpu},
    {.word = "for", .read = catalogue_read_for},
    {.word = "title", .read = catalogue_read_title, .of_cpu = true},
    {.word = "id", .read = catalogue_read_id, .of_cpu = true},
    {.word = "libpfm", .read = catalogue_read_libpfm, .of_cpu = true},
    {.word = "pmu", .read = catalogue_read_pmu, .of_cpu = true},
    {.word = "scope", .read = catalogue_read_scope, .of_cpu = true},
    {.word = "counters", .read = catalogue_read_counters, .of_cpu = true},
    {.word = "offcore", .read = catalogue_read_offcore, .of_cpu = true},
    {.word = "watchdog", .read = catalogue_read_watchdog, .of_cpu = true},
    {.word = "clusters", .read = catalogue_read_clusters, .of_cpu = true},
    {.word = "sampling", .read = catalogue_read_sampling, .of_cpu = true},
    {.word = "note", .read = catalogue_read_note, .of_cpus = true},
    {.word = "answer", .read = catalogue_read_answer, .of_cpus = true},
};

static int catalogue_read_line(struct catalogue_reader *reader, char *line)
{
    char *rest = line, *word = catalogue_read_word(&rest);
    if (!word || *word == '#')
        return 0;
    if (reader->only_cpus && strcmp(word, "for") == 0) {
        reader->cpu = NULL; // what follows is about events, up to the next "cpu"
        return 0;
    }
    if (reader->only_cpus && !reader->cpu && strcmp(word, "cpu") != 0)
        return 0;
    for (size_t i = 0; i < sizeof catalogue_read_lines / sizeof *catalogue_read_lines; i++) {
        if (strcmp(word, catalogue_read_lines[i].word) != 0)
            continue;
        if ((catalogue_read_lines[i].of_cpu && !reader->cpu) || (catalogue_read_lines[i].of_cpus && !reader->cpus))
            return -EINVAL;
        return catalogue_read_lines[i].read(reader, rest);
    }
    return reader->cpus ? catalogue_read_event(reader, word, rest) : -EINVAL;
}

int catalogue_read(struct catalogue *catalogue, bool only_cpus, int *line)
{
    struct catalogue_reader reader = {.catalogue = catalogue, .only_cpus = only_cpus};
    char *rest = catalogue->text;
    *line = 0;
    for (char *one; (one = strsep(&rest, "\n"));) {
        ++*line;
        int status = catalogue_read_line(&reader, one);
        if (status < 0)
            return status;
    }
    return 0;
}
