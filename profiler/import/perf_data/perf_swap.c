// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_data/perf_swap.h"

#include <string.h>

// Sizes of the numbers at the begin of a record's body, 4 or 8 bytes; '.': four bytes that are no number.
static const char *perf_swap_form(const struct perf_event_header *header)
{
    switch (header->type) {
    case PERF_RECORD_MMAP:
        return "44888";
    case PERF_RECORD_MMAP2:
        return header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID ? "44888......44" : "44888448844";
    case PERF_RECORD_COMM:
        return "44";
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return "44448";
    case PERF_RECORD_LOST:
        return "88";
    case PERF_RECORD_LOST_SAMPLES:
        return "8";
    default:
        return "";
    }
}

static void perf_swap_32(char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    value = __builtin_bswap32(value);
    memcpy(at, &value, sizeof value);
}

static void perf_swap_64(char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    value = __builtin_bswap64(value);
    memcpy(at, &value, sizeof value);
}

static void perf_swap_body(char *at, const char *end, const char *form)
{
    for (; *form; form++) {
        const ptrdiff_t bytes = *form == '8' ? 8 : 4;
        if (end - at < bytes)
            return;
        if (*form == '8')
            perf_swap_64(at);
        else if (*form == '4')
            perf_swap_32(at);
        at += bytes;
    }
}

// The fields that sample_id_all appends to a record: thread, time, identifiers, CPU.
static void perf_swap_tail(char *begin, char *end, uint64_t sample_type)
{
    static const struct {
        uint64_t bit;
        const char *form;
    } fields[] = {{PERF_SAMPLE_TID, "44"},       {PERF_SAMPLE_TIME, "8"}, {PERF_SAMPLE_ID, "8"},
                  {PERF_SAMPLE_STREAM_ID, "8"}, {PERF_SAMPLE_CPU, "44"}, {PERF_SAMPLE_IDENTIFIER, "8"}};
    char *at = end;
    for (size_t i = sizeof fields / sizeof *fields; i-- > 0;) {
        if (!(sample_type & fields[i].bit))
            continue;
        if (at - begin < 8)
            return;
        at -= 8;
        perf_swap_body(at, end, fields[i].form);
    }
}

// Restores two 32-bit numbers that were swapped as one of 64 bits.
static void perf_swap_halves(uint64_t *words, size_t count, size_t at)
{
    if (at < count)
        words[at] = words[at] >> 32 | words[at] << 32;
}

static size_t perf_swap_read_words(const uint64_t *words, size_t count, size_t at, uint64_t format)
{
    const uint64_t times = format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    const size_t each = 1 + (size_t)__builtin_popcountll(format & (PERF_FORMAT_ID | PERF_RECORD_READ_LOST));
    size_t values = 1, head = (size_t)__builtin_popcountll(times);
    if (format & PERF_FORMAT_GROUP) {
        values = at < count && words[at] < count ? (size_t)words[at] : count;
        head++;
    }
    return head + values * each;
}

static size_t perf_swap_words(const struct perf_event_header *header)
{
    return (header->size - sizeof *header) / sizeof(uint64_t);
}

void perf_swap_record(struct perf_event_header *header, uint64_t tail)
{
    char *body = (char *)(header + 1), *end = (char *)header + header->size;
    uint64_t *words = (uint64_t *)(header + 1);
    if (header->type == PERF_RECORD_SAMPLE) {
        for (size_t i = 0; i < perf_swap_words(header); i++)
            words[i] = __builtin_bswap64(words[i]);
        return;
    }
    perf_swap_body(body, end, perf_swap_form(header));
    perf_swap_tail(body, end, tail);
}

void perf_swap_sample(struct perf_event_header *header, const struct perf_layout *layout)
{
    uint64_t *words = (uint64_t *)(header + 1);
    const size_t count = perf_swap_words(header);
    const uint64_t type = layout->sample_type;
    const uint64_t before_thread = type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
    const uint64_t before_cpu = before_thread | (type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
                                                         PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
    size_t at = (size_t)__builtin_popcountll(before_cpu | (type & (PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)));
    if (type & PERF_SAMPLE_TID)
        perf_swap_halves(words, count, (size_t)__builtin_popcountll(before_thread));
    if (type & PERF_SAMPLE_CPU)
        perf_swap_halves(words, count, (size_t)__builtin_popcountll(before_cpu));
    if (type & PERF_SAMPLE_READ)
        at += perf_swap_read_words(words, count, at, layout->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN)
        at += 1 + (at < count && words[at] < count ? (size_t)words[at] : count);
    if (type & PERF_SAMPLE_RAW)
        perf_swap_halves(words, count, at); // its length, and bytes that nobody reads
}
