// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/stream.h"

#include <stddef.h>

#include "lab/hardware/machine.h"

// A line may be left out by the program; two steps in one direction make a stream.
enum { STREAM_STEP = 2, STREAM_CONFIRMED = 2, STREAM_PAGE = 1 << (MACHINE_PAGE_SHIFT - MACHINE_LINE_SHIFT) };

static bool stream_continues(const struct stream *stream, uint64_t line)
{
    int64_t step = (int64_t)(line - stream->last);
    uint64_t on = (uint64_t)(stream->direction ? step * stream->direction : step < 0 ? -step : step);
    return on - 1 < STREAM_STEP && stream->used && (machine.prefetch.crossing || machine_same_page(stream->last, line));
}

static void stream_start(struct stream_table *table, uint64_t line)
{
    struct stream *oldest = &table->streams[0];
    for (struct stream *stream = oldest; stream < table->streams + STREAM_COUNT; stream++) {
        if (stream->used && stream->last == line)
            return; // the same line again
        if (stream->used < oldest->used)
            oldest = stream;
    }
    *oldest = (struct stream){.last = line, .ahead = line, .used = table->clock};
}

static struct stream *stream_advance(struct stream_table *table, struct stream *stream, uint64_t line)
{
    stream->direction = line > stream->last ? 1 : -1;
    stream->last = line;
    stream->used = table->clock;
    stream->confirmed += stream->confirmed < STREAM_CONFIRMED;
    table->latest = (unsigned)(stream - table->streams);
    return stream->confirmed == STREAM_CONFIRMED ? stream : NULL;
}

static __attribute__((noinline)) struct stream *stream_search(struct stream_table *table, uint64_t line)
{
    for (struct stream *stream = table->streams; stream < table->streams + STREAM_COUNT; stream++)
        if (stream_continues(stream, line))
            return stream_advance(table, stream, line);
    stream_start(table, line);
    return NULL;
}

struct stream *stream_train(struct stream_table *table, uint64_t line)
{
    struct stream *latest = &table->streams[table->latest];
    table->clock++;
    if (!stream_continues(latest, line))
        return stream_search(table, line);
    if (latest->confirmed < STREAM_CONFIRMED)
        return stream_advance(table, latest, line);
    latest->last = line; // the usual case: all else is as it was
    latest->used = table->clock;
    return latest;
}

// How far from `last` the stream may be followed.
static int64_t stream_reach(const struct stream *stream)
{
    int64_t lines = (int64_t)machine.prefetch.lines;
    if (machine.prefetch.crossing)
        return lines;
    int64_t line = (int64_t)stream->last & (STREAM_PAGE - 1);
    int64_t left = stream->direction > 0 ? STREAM_PAGE - 1 - line : line;
    return left < lines ? left : lines;
}

unsigned stream_ahead(struct stream *stream)
{
    int64_t lead = (int64_t)(stream->ahead - stream->last) * stream->direction, reach = stream_reach(stream);
    if (lead < 0) {
        stream->ahead = stream->last;
        lead = 0;
    }
    return lead < reach ? (unsigned)(reach - lead) : 0;
}

bool stream_next(struct stream_table *table, struct stream *stream)
{
    stream->ahead += (uint64_t)(int64_t)stream->direction;
    return !machine.prefetch.skip || ++table->made % machine.prefetch.skip != 0;
}
