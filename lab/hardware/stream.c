// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/stream.h"

#include <stddef.h>

#include "lab/hardware/machine.h"

// A line may be left out by the program; two steps in one direction make a stream.
enum { STREAM_STEP = 2, STREAM_CONFIRMED = 2 };

static bool stream_same_page(uint64_t a, uint64_t b)
{
    return (a ^ b) >> (MACHINE_PAGE_SHIFT - MACHINE_LINE_SHIFT) == 0;
}

static bool stream_continues(const struct stream *stream, uint64_t line)
{
    int64_t step = (int64_t)(line - stream->last);
    if (stream->used == 0 || step == 0 || step > STREAM_STEP || step < -STREAM_STEP)
        return false;
    if (!machine.prefetch.crossing && !stream_same_page(stream->last, line))
        return false;
    return stream->direction == 0 || (step > 0) == (stream->direction > 0);
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

struct stream *stream_train(struct stream_table *table, uint64_t line)
{
    struct stream *latest = &table->streams[table->latest];
    table->clock++;
    if (stream_continues(latest, line))
        return stream_advance(table, latest, line);
    for (struct stream *stream = table->streams; stream < table->streams + STREAM_COUNT; stream++)
        if (stream_continues(stream, line))
            return stream_advance(table, stream, line);
    stream_start(table, line);
    return NULL;
}

bool stream_next(struct stream_table *table, struct stream *stream, uint64_t *line)
{
    for (;;) {
        int64_t lead = (int64_t)(stream->ahead - stream->last) * stream->direction;
        if (lead < 0) {
            stream->ahead = stream->last;
            continue;
        }
        uint64_t next = stream->ahead + (uint64_t)(int64_t)stream->direction;
        if (lead >= machine.prefetch.lines || (!machine.prefetch.crossing && !stream_same_page(stream->last, next)))
            return false;
        stream->ahead = next;
        if (machine.prefetch.skip && ++table->made % machine.prefetch.skip == 0)
            continue;
        *line = next;
        return true;
    }
}
