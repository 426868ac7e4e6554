// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_text/perf_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "profiler/import/perf_text/perf_text_header.h"
#include "profiler/import/perf_text/perf_text_line.h"

enum {
    PERF_TEXT_EVENTS = 256,
    PERF_TEXT_ID = 20,               // bytes of the longest build id
    PERF_TEXT_FRAMES = 1024,         // of a call chain; those beyond are left out
};

// --- records are written into room

struct perf_text_record {
    struct perf_file_room *room;
    size_t bytes;
};

static void perf_text_put(struct perf_text_record *record, const void *from, size_t bytes)
{
    memcpy((char *)record->room->words + record->bytes, from, bytes); // the longest line and chain are shorter
    record->bytes += bytes;
}

static void perf_text_u32(struct perf_text_record *record, uint64_t value)
{
    const uint32_t half = (uint32_t)value;
    perf_text_put(record, &half, sizeof half);
}

static void perf_text_u64(struct perf_text_record *record, uint64_t value)
{
    perf_text_put(record, &value, sizeof value);
}

static struct perf_text_record perf_text_begin(struct perf_file_room *room)
{
    return (struct perf_text_record){.room = room, .bytes = sizeof(struct perf_event_header)};
}

static const struct perf_event_header *perf_text_end(struct perf_text_record *record, uint32_t type, uint16_t misc)
{
    static const char zeros[sizeof(uint64_t)];
    perf_text_put(record, zeros, -record->bytes % sizeof zeros);
    const struct perf_event_header header = {.type = type, .misc = misc, .size = (uint16_t)record->bytes};
    memcpy(record->room->words, &header, sizeof header);
    return (const struct perf_event_header *)record->room->words;
}

// --- lines

// Copies the next line: the owner of the file may change it. NULL: the end. A line that is too long is empty.
static char *perf_text_line(struct perf_text *text)
{
    const char *end = text->file->bytes + text->file->size;
    if (text->at == end)
        return NULL;
    const char *stop = memchr(text->at, '\n', (size_t)(end - text->at));
    const size_t bytes = (size_t)((stop ? stop : end) - text->at), kept = bytes < PERF_TEXT_LINE ? bytes : 0;
    memcpy(text->line, text->at, kept);
    text->line[kept] = '\0';
    text->unread += kept < bytes;
    text->file->is_cut |= !stop;
    text->at = stop ? stop + 1 : end;
    return text->line;
}

// Whether the next line belongs to the sample before it: those of call chains begin with a tab.
static bool perf_text_has_frame(const struct perf_text *text)
{
    return text->at < text->file->bytes + text->file->size && *text->at == '\t';
}

// --- events

// Adds an event; the ids of its samples are its number, from 1.
static int perf_text_add_event(struct perf_text *text, const char *name, struct perf_event_attr *attr)
{
    struct perf_file *file = text->file;
    struct perf_features *features = &file->features;
    struct perf_file_room room;
    struct perf_text_record record = perf_text_begin(&room);
    if (!features->event_names)
        features->event_names = calloc(PERF_TEXT_EVENTS, sizeof *features->event_names);
    const char *kept = perf_features_keep(features, name, strlen(name) + 1);
    if (!features->event_names || !kept)
        return -ENOMEM;
    attr->sample_type = PERF_SAMPLE_IDENTIFIER; // of each event: the first one's tells where the id is
    perf_text_put(&record, attr, sizeof *attr);
    perf_text_u64(&record, file->event_count + 1);
    features->event_names[features->event_count++] = kept;
    return perf_file_add_attr(file, perf_text_end(&record, PERF_FILE_ATTR, 0));
}

// The kind of an event that no header line describes: page faults by their name, "page-faults:u".
static struct perf_event_attr perf_text_named(const char *name)
{
    static const struct {
        const char *name;
        enum perf_sw_ids config;
    } faults[] = {{"page-faults", PERF_COUNT_SW_PAGE_FAULTS}, {"faults", PERF_COUNT_SW_PAGE_FAULTS},
                  {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN}, {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ}};
    const size_t length = strcspn(name, ":");
    const bool of_user = strchr(name + length, 'u'), of_kernel = strchr(name + length, 'k');
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strlen(faults[i].name) == length && strncmp(name, faults[i].name, length) == 0)
            return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr),
                                            .config = faults[i].config, .exclude_user = of_kernel && !of_user,
                                            .exclude_kernel = of_user && !of_kernel};
    return (struct perf_event_attr){.type = PERF_FILE_NAMED, .size = sizeof(struct perf_event_attr)};
}

// -E2BIG: there are too many.
static int perf_text_event(struct perf_text *text, const char *name, struct perf_file_event **event)
{
    const struct perf_file *file = text->file;
    const char *const *names = file->features.event_names;
    int status = 0;
    if (text->last_event >= file->event_count || strcmp(names[text->last_event], name) != 0)
        for (text->last_event = 0; text->last_event < file->event_count; text->last_event++)
            if (strcmp(names[text->last_event], name) == 0)
                break;
    if (text->last_event == PERF_TEXT_EVENTS)
        return -E2BIG;
    if (text->last_event == file->event_count) {
        struct perf_event_attr attr = perf_text_named(name);
        status = perf_text_add_event(text, name, &attr);
    }
    *event = &file->events[text->last_event];
    return status;
}

// --- records

static const struct perf_event_header *perf_text_comm(struct perf_text *text, const char *rest,
                                                      struct perf_file_room *room)
{
    struct perf_text_record record = perf_text_begin(room);
    const char *name = strstr(rest, ": "), *task = strrchr(rest, ':');
    int pid, tid;
    if (!name || !task || task < name + 2 || sscanf(task, ":%d/%d", &pid, &tid) != 2)
        return NULL;
    perf_text_u32(&record, (uint32_t)pid);
    perf_text_u32(&record, (uint32_t)tid);
    perf_text_put(&record, name + 2, (size_t)(task - name) - 2);
    perf_text_put(&record, "", 1);
    text->has_tasks = true;
    return perf_text_end(&record, PERF_RECORD_COMM, strncmp(rest, " exec", 5) == 0 ? PERF_RECORD_MISC_COMM_EXEC : 0);
}

// "(pid:tid):(parent's)"
static const struct perf_event_header *perf_text_task(struct perf_text *text, const char *rest, uint32_t type,
                                                      struct perf_file_room *room)
{
    struct perf_text_record record = perf_text_begin(room);
    int pid, tid, parent_pid, parent_tid;
    if (sscanf(rest, "(%d:%d):(%d:%d)", &pid, &tid, &parent_pid, &parent_tid) != 4)
        return NULL;
    perf_text_u32(&record, (uint32_t)pid);
    perf_text_u32(&record, (uint32_t)parent_pid);
    perf_text_u32(&record, (uint32_t)tid);
    perf_text_u32(&record, (uint32_t)parent_tid);
    perf_text_u64(&record, text->time);
    text->has_tasks = true;
    return perf_text_end(&record, type, 0);
}

static uint32_t perf_text_protection(const char *letters)
{
    return (letters[0] == 'r' ? PROT_READ : 0) | (letters[1] == 'w' ? PROT_WRITE : 0) |
           (letters[2] == 'x' ? PROT_EXEC : 0);
}

// "<89ab...>" before end. Returns its bytes; 0: there is none.
static size_t perf_text_build_id(const char *at, const char *end, unsigned char id[PERF_TEXT_ID])
{
    size_t bytes = 0;
    if (!at || at > end)
        return 0;
    while (bytes < PERF_TEXT_ID && sscanf(at + 1 + 2 * bytes, "%2hhx", &id[bytes]) == 1)
        bytes++;
    return at[1 + 2 * bytes] == '>' ? bytes : 0;
}

// " 100/101: [0x400000(0x1000) @ 0 08:01 42 0]: r-xp /bin/solve"; a build id may stand for device and inode.
static const struct perf_event_header *perf_text_mmap2(const char *rest, struct perf_file_room *room)
{
    struct perf_text_record record = perf_text_begin(room);
    unsigned long long start, bytes, offset, inode = 0, generation = 0;
    unsigned major = 0, minor = 0;
    unsigned char id[PERF_TEXT_ID] = {0};
    int pid, tid, file = 0;
    char letters[5];
    const char *about = strchr(rest, '@'), *end = strstr(rest, "]: ");
    if (sscanf(rest, " %d/%d: [%llx(%llx) @ %llx", &pid, &tid, &start, &bytes, &offset) != 5 || !about || !end ||
        sscanf(end, "]: %4[rwxps-] %n", letters, &file) != 1 || file == 0 || strlen(letters) != 4)
        return NULL;
    const size_t id_bytes = perf_text_build_id(strchr(about, '<'), end, id);
    sscanf(about, "@ %*x %x:%x %llu %llu", &major, &minor, &inode, &generation);
    perf_text_u32(&record, (uint32_t)pid);
    perf_text_u32(&record, (uint32_t)tid);
    perf_text_u64(&record, start);
    perf_text_u64(&record, bytes);
    perf_text_u64(&record, offset);
    if (id_bytes > 0) {
        perf_text_u32(&record, id_bytes);
        perf_text_put(&record, id, sizeof id);
    } else {
        perf_text_u32(&record, major);
        perf_text_u32(&record, minor);
        perf_text_u64(&record, inode);
        perf_text_u64(&record, generation);
    }
    perf_text_u32(&record, perf_text_protection(letters));
    perf_text_u32(&record, letters[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
    perf_text_put(&record, end + file, strlen(end + file) + 1);
    return perf_text_end(&record, PERF_RECORD_MMAP2, id_bytes > 0 ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
}

// " 100/100: [0x400000(0x1000) @ 0]: x /bin/solve"; r: data.
static const struct perf_event_header *perf_text_mmap(const char *rest, struct perf_file_room *room)
{
    struct perf_text_record record = perf_text_begin(room);
    unsigned long long start, bytes, offset;
    int pid, tid, file = 0;
    char letter;
    if (sscanf(rest, " %d/%d: [%llx(%llx) @ %llx]: %c %n", &pid, &tid, &start, &bytes, &offset, &letter, &file) != 6 ||
        file == 0)
        return NULL;
    perf_text_u32(&record, (uint32_t)pid);
    perf_text_u32(&record, (uint32_t)tid);
    perf_text_u64(&record, start);
    perf_text_u64(&record, bytes);
    perf_text_u64(&record, offset);
    perf_text_put(&record, rest + file, strlen(rest + file) + 1);
    return perf_text_end(&record, PERF_RECORD_MMAP, letter == 'x' ? 0 : PERF_RECORD_MISC_MMAP_DATA);
}

// "PERF_RECORD_..." behind the time. NULL: it says nothing of use.
static const struct perf_event_header *perf_text_other(struct perf_text *text, const char *rest,
                                                       struct perf_file_room *room)
{
    struct perf_text_record record = perf_text_begin(room);
    unsigned long long lost;
    char kind[16];
    int length = 0;
    if (sscanf(rest, "PERF_RECORD_%15[A-Z2_]%n", kind, &length) != 1)
        return NULL;
    rest += length;
    if (strcmp(kind, "COMM") == 0)
        return perf_text_comm(text, rest, room);
    if (strcmp(kind, "FORK") == 0 || strcmp(kind, "EXIT") == 0)
        return perf_text_task(text, rest, *kind == 'F' ? PERF_RECORD_FORK : PERF_RECORD_EXIT, room);
    if (strcmp(kind, "MMAP2") == 0)
        return perf_text_mmap2(rest, room);
    if (strcmp(kind, "MMAP") == 0)
        return perf_text_mmap(rest, room);
    const char *count = strncmp(kind, "LOST", 4) == 0 ? strstr(rest, "lost ") : NULL;
    if (!count || sscanf(count, "lost %llu", &lost) != 1)
        return NULL;
    if (strcmp(kind, "LOST") == 0)
        perf_text_u64(&record, 0); // its event
    perf_text_u64(&record, lost);
    return perf_text_end(&record, strcmp(kind, "LOST") == 0 ? PERF_RECORD_LOST : PERF_RECORD_LOST_SAMPLES, 0);
}

// --- samples

static bool perf_text_is_of_kernel(uint64_t address)
{
    return address >> 63;
}

// Reads the lines of the call chain behind a sample, and the physical address behind them. Frames whose address is not
// known end the chain: callers beyond would pass for those of another function.
static size_t perf_text_chain(struct perf_text *text, struct perf_text_sample *sample, uint64_t *chain)
{
    size_t count = 0;
    bool is_whole = true;
    for (uint64_t place; perf_text_has_frame(text);) {
        const char *path;
        if (!perf_text_line_frame(perf_text_line(text), &place, &path) || strcmp(path, "inlined") == 0)
            continue;
        if (count == 0 && perf_text_is_of_kernel(place)) { // the first one is where the sample was taken
            sample->ip = sample->ip ? sample->ip : place;
            continue;
        }
        const uint64_t address = *path == '[' ? place : text->address_of(text->context, text->tid, path, place);
        is_whole = is_whole && address != 0 && count < PERF_TEXT_FRAMES;
        if (is_whole)
            chain[count++] = address;
    }
    const char *next = text->at;
    const struct perf_text before = {.unread = text->unread};
    const char *line = perf_text_line(text);
    sample->has_physical = line && perf_text_line_number(line, &sample->physical);
    if (!sample->has_physical) {
        text->at = next;
        text->unread = before.unread;
    }
    return count;
}

static uint64_t perf_text_sample_type(const struct perf_text_head *head, const struct perf_text_sample *sample,
                                      size_t chain_count)
{
    return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
           (sample->has_address ? PERF_SAMPLE_ADDR : 0) | (head->cpu >= 0 ? PERF_SAMPLE_CPU : 0) |
           (sample->has_period ? PERF_SAMPLE_PERIOD : 0) | (chain_count > 0 ? PERF_SAMPLE_CALLCHAIN : 0) |
           (sample->has_weight ? PERF_SAMPLE_WEIGHT : 0) | (sample->has_source ? PERF_SAMPLE_DATA_SRC : 0) |
           (sample->has_physical ? PERF_SAMPLE_PHYS_ADDR : 0);
}

// In the kernel's order of fields: perf_event_open(2), PERF_RECORD_SAMPLE.
static void perf_text_put_sample(struct perf_text_record *record, const struct perf_text *text, uint64_t id,
                                 const struct perf_text_head *head, const struct perf_text_sample *sample,
                                 const uint64_t *chain, size_t chain_count)
{
    perf_text_u64(record, id);
    perf_text_u64(record, sample->ip);
    perf_text_u32(record, text->pid);
    perf_text_u32(record, text->tid);
    perf_text_u64(record, text->time);
    if (sample->has_address)
        perf_text_u64(record, sample->address);
    if (head->cpu >= 0)
        perf_text_u64(record, (uint64_t)head->cpu);
    if (sample->has_period)
        perf_text_u64(record, sample->period);
    if (chain_count > 0) {
        perf_text_u64(record, chain_count + 1);
        perf_text_u64(record, PERF_CONTEXT_USER);
        perf_text_put(record, chain, chain_count * sizeof *chain);
    }
    if (sample->has_weight)
        perf_text_u64(record, sample->weight);
    if (sample->has_source)
        perf_text_u64(record, sample->source);
    if (sample->has_physical)
        perf_text_u64(record, sample->physical);
}

static const struct perf_event_header *perf_text_sample(struct perf_text *text, const struct perf_text_head *head,
                                                        struct perf_file_room *room, int *status)
{
    struct perf_text_sample sample;
    struct perf_text_record record = perf_text_begin(room);
    struct perf_file_event *event;
    uint64_t chain[PERF_TEXT_FRAMES];
    size_t chain_count = 0;
    const bool is_chain = perf_text_has_frame(text);
    *status = perf_text_line_sample(head->rest, is_chain, &sample) ? perf_text_event(text, sample.event, &event)
                                                                   : -EBADMSG;
    if (*status < 0)
        return NULL;
    if (is_chain)
        chain_count = perf_text_chain(text, &sample, chain);
    event->attr.sample_type = event->layout.sample_type = perf_text_sample_type(head, &sample, chain_count);
    perf_text_put_sample(&record, text, (uint64_t)(event - text->file->events) + 1, head, &sample, chain, chain_count);
    text->without_period += !sample.has_period && (event->attr.freq || event->attr.sample_period == 0);
    text->without_process += head->pid < 0 && !text->has_tasks;
    return perf_text_end(&record, PERF_RECORD_SAMPLE,
                         perf_text_is_of_kernel(sample.ip) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
}

// --- the text

// NULL: the line tells of no record. Damage: *status.
static const struct perf_event_header *perf_text_read(struct perf_text *text, char *line, struct perf_file_room *room,
                                                      int *status)
{
    struct perf_text_head head;
    struct perf_event_attr attr;
    if (*line == '#') {
        const char *name = perf_text_header_event(line, &attr);
        if (!name)
            *status = perf_text_header_take(&text->file->features, line);
        else if (text->file->event_count < PERF_TEXT_EVENTS)
            *status = perf_text_add_event(text, name, &attr);
        return NULL;
    }
    if (!perf_text_line_head(line, &head))
        return NULL;
    text->lines++;
    text->time = head.time;
    text->pid = (uint32_t)(head.pid >= 0 ? head.pid : head.tid);
    text->tid = (uint32_t)head.tid;
    memcpy(text->comm, head.comm, sizeof text->comm);
    if (strncmp(head.rest, "PERF_RECORD_", 12) == 0)
        return perf_text_other(text, head.rest, room);
    return perf_text_sample(text, &head, room, status);
}

const struct perf_event_header *perf_text_next(struct perf_text *text, struct perf_file_room *room, int *status)
{
    const struct perf_event_header *record = NULL;
    char *line;
    text->at = text->at ? text->at : text->file->bytes;
    for (*status = 0; !record && *status == 0 && (line = perf_text_line(text));) {
        record = perf_text_read(text, line, room, status);
        text->unread += *status < 0 && *status != -ENOMEM;
        *status = *status == -ENOMEM ? -ENOMEM : 0;
    }
    return record;
}

bool perf_text_is_one(const struct perf_file *file)
{
    enum { LOOKED_AT = 1 << 20 };
    struct perf_file head = *file;
    struct perf_text_head found;
    if (!perf_file_is_text(file))
        return false;
    head.size = file->size < LOOKED_AT ? file->size : LOOKED_AT;
    struct perf_text *text = calloc(1, sizeof *text);
    bool is_one = false;
    if (text)
        *text = (struct perf_text){.file = &head, .at = head.bytes};
    for (char *line; text && !is_one && (line = perf_text_line(text));)
        is_one = *line != '#' && perf_text_line_head(line, &found);
    free(text);
    return is_one;
}
