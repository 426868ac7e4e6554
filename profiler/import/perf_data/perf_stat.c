// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_data/perf_stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct perf_bytes perf_stat_body(const struct perf_file *file, const struct perf_event_header *header)
{
    return (struct perf_bytes){.at = (const char *)(header + 1), .end = (const char *)header + header->size,
                               .is_swapped = file->is_swapped};
}

int perf_stat_count(const struct perf_file *file, const struct perf_event_header *header,
                    struct perf_stat_count *count)
{
    struct perf_bytes from = perf_stat_body(file, header);
    struct perf_stat_count found = {.id = perf_bytes_u64(&from)};
    found.cpu = perf_bytes_u32(&from);
    found.thread = perf_bytes_u32(&from);
    found.value = perf_bytes_u64(&from);
    found.enabled = perf_bytes_u64(&from);
    found.running = perf_bytes_u64(&from);
    if (from.is_short)
        return -EBADMSG;
    *count = found;
    return 0;
}

int perf_stat_round(const struct perf_file *file, const struct perf_event_header *header, uint64_t *time)
{
    struct perf_bytes from = perf_stat_body(file, header);
    perf_bytes_u64(&from); // of an interval, or the last one
    const uint64_t found = perf_bytes_u64(&from);
    if (from.is_short)
        return -EBADMSG;
    *time = found;
    return 0;
}

// Number of pairs, then tag and value of each.
int perf_stat_config(const struct perf_file *file, const struct perf_event_header *header, uint64_t *interval_ms)
{
    enum { INTERVAL = 1 };
    struct perf_bytes from = perf_stat_body(file, header);
    uint64_t found = *interval_ms;
    for (uint64_t left = perf_bytes_u64(&from); left > 0 && !from.is_short; left--) {
        const uint64_t tag = perf_bytes_u64(&from), value = perf_bytes_u64(&from);
        found = tag == INTERVAL ? value : found;
    }
    if (from.is_short)
        return -EBADMSG;
    *interval_ms = found;
    return 0;
}

// --- maps

// Number of threads, then id and name of each.
int perf_stat_threads(const struct perf_file *file, const struct perf_event_header *header,
                      struct perf_stat_maps *maps)
{
    enum { NAME_BYTES = 16, ENTRY_BYTES = 8 + NAME_BYTES };
    struct perf_bytes from = perf_stat_body(file, header);
    const uint64_t count = perf_bytes_u64(&from);
    if (maps->threads || count == 0 || count > (uint64_t)(from.end - from.at) / ENTRY_BYTES)
        return -EBADMSG;
    maps->threads = calloc(count, sizeof *maps->threads);
    if (!maps->threads)
        return -ENOMEM;
    maps->thread_count = count;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t tid = perf_bytes_u64(&from);
        maps->threads[i].tid = tid <= INT32_MAX ? (int64_t)tid : PERF_STAT_ANY;
        perf_bytes_copy(&from, maps->threads[i].name, NAME_BYTES);
    }
    return 0;
}

static uint16_t perf_stat_u16(struct perf_bytes *from)
{
    uint16_t value = 0;
    perf_bytes_copy(from, &value, sizeof value);
    return from->is_swapped ? __builtin_bswap16(value) : value;
}

static int perf_stat_add_cpu(struct perf_stat_maps *maps, int cpu)
{
    if (cpu >= PERF_FEATURES_CPUS || maps->cpu_count > PERF_FEATURES_CPUS)
        return -EBADMSG;
    maps->cpus[maps->cpu_count++] = cpu;
    return 0;
}

static int perf_stat_take_list(struct perf_bytes *from, struct perf_stat_maps *maps)
{
    int status = 0;
    for (unsigned left = perf_stat_u16(from); left > 0 && status == 0 && !from->is_short; left--) {
        const int cpu = perf_stat_u16(from);
        status = perf_stat_add_cpu(maps, cpu == UINT16_MAX ? PERF_STAT_ANY : cpu);
    }
    return status;
}

// Number of words, bytes of a word, words. Those of 8 bytes are aligned, as a structure of C is.
static int perf_stat_take_mask(struct perf_bytes *from, struct perf_stat_maps *maps)
{
    enum { SHORT_WORD = 4, LONG_WORD = 8, PADDING = 4, BYTE_BITS = 8 };
    const unsigned words = perf_stat_u16(from), bytes = perf_stat_u16(from);
    int status = bytes == SHORT_WORD || bytes == LONG_WORD ? 0 : -EBADMSG;
    if (bytes == LONG_WORD)
        perf_bytes_take(from, PADDING);
    for (unsigned i = 0; i < words && status == 0 && !from->is_short; i++) {
        uint64_t word = bytes == LONG_WORD ? perf_bytes_u64(from) : perf_bytes_u32(from);
        for (; word && status == 0; word &= word - 1)
            status = perf_stat_add_cpu(maps, (int)(i * bytes * BYTE_BITS) + __builtin_ctzll(word));
    }
    return status;
}

static int perf_stat_take_range(struct perf_bytes *from, struct perf_stat_maps *maps)
{
    const unsigned char *any = perf_bytes_take(from, 2); // a flag, and padding
    const int first = perf_stat_u16(from), last = perf_stat_u16(from);
    int status = any && *any ? perf_stat_add_cpu(maps, PERF_STAT_ANY) : 0;
    for (int cpu = first; cpu <= last && status == 0; cpu++)
        status = perf_stat_add_cpu(maps, cpu);
    return status;
}

int perf_stat_cpus(const struct perf_file *file, const struct perf_event_header *header, struct perf_stat_maps *maps)
{
    static int (*const take[])(struct perf_bytes *from, struct perf_stat_maps *maps) = {
        perf_stat_take_list, perf_stat_take_mask, perf_stat_take_range};
    struct perf_bytes from = perf_stat_body(file, header);
    const unsigned form = perf_stat_u16(&from);
    struct perf_stat_maps found = {0};
    if (maps->cpus || from.is_short || form >= sizeof take / sizeof *take)
        return -EBADMSG;
    found.cpus = calloc(PERF_FEATURES_CPUS + 1, sizeof *found.cpus);
    if (!found.cpus)
        return -ENOMEM;
    if (take[form](&from, &found) < 0 || from.is_short || found.cpu_count == 0) {
        free(found.cpus);
        return -EBADMSG;
    }
    maps->cpus = found.cpus;
    maps->cpu_count = found.cpu_count;
    return 0;
}

void perf_stat_free(struct perf_stat_maps *maps)
{
    free(maps->threads);
    free(maps->cpus);
    *maps = (struct perf_stat_maps){0};
}

// --- events

int perf_stat_update(struct perf_file *file, const struct perf_event_header *header)
{
    enum { NAME = 2 };
    struct perf_bytes from = perf_stat_body(file, header);
    const uint64_t kind = perf_bytes_u64(&from), id = perf_bytes_u64(&from);
    const size_t left = (size_t)(from.end - from.at);
    uint64_t event;
    if (from.is_short || (kind == NAME && !memchr(from.at, '\0', left)))
        return -EBADMSG;
    if (kind != NAME || !table_get(&file->event_of_id, id, &event) || file->events[event].name)
        return 0;
    file->events[event].name = perf_features_keep(&file->features, from.at, strlen(from.at) + 1);
    return file->events[event].name ? 0 : -ENOMEM;
}

int perf_stat_scope(const struct perf_file *file, const struct perf_stat_maps *maps,
                    const struct perf_stat_count *count, struct perf_stat_scope *scope)
{
    uint64_t event, place;
    if (!table_get(&file->event_of_id, count->id, &event) || !table_get(&file->place_of_id, count->id, &place) ||
        maps->thread_count == 0 || place / maps->thread_count >= maps->cpu_count)
        return -EBADMSG;
    const uint64_t cpu = place / maps->thread_count, thread = place % maps->thread_count;
    if (thread != count->thread || (count->cpu != (uint32_t)maps->cpus[cpu] && count->cpu != cpu))
        return -EBADMSG;
    *scope = (struct perf_stat_scope){.event = &file->events[event],
                                      .place = place,
                                      .cpu = maps->cpus[cpu],
                                      .thread = &maps->threads[thread]};
    return 0;
}
