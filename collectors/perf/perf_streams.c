// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/perf_streams.h"

#include <errno.h>
#include <stdlib.h>

#include "core/util/grow.h"

int perf_streams_add(struct perf_streams *streams, struct perf_stream *stream)
{
    struct perf_stream **items =
        grow_array(streams->items, &streams->size, streams->count + 1, sizeof(struct perf_stream *));
    if (!items)
        return -ENOMEM;
    streams->items = items;
    streams->items[streams->count++] = stream;
    return 0;
}

void perf_streams_remove(struct perf_streams *streams, const struct perf_stream *stream)
{
    for (size_t i = 0; i < streams->count; i++) {
        if (streams->items[i] == stream) {
            streams->items[i] = streams->items[--streams->count];
            return;
        }
    }
}

void perf_streams_end(struct perf_streams *streams, struct perf_stream *stream)
{
    stream->next_ended = streams->ended;
    streams->ended = stream;
}

void perf_streams_close_ended(struct perf_streams *streams)
{
    struct perf_stream *stream;
    while ((stream = streams->ended)) {
        streams->ended = stream->next_ended;
        perf_streams_remove(streams, stream);
        stream->close(stream);
    }
}

size_t perf_streams_drain(struct perf_streams *streams, uint64_t until)
{
    streams->drains++;
    streams->drained_at = until;
    size_t records = perf_merge_drain(streams->items, streams->count, until);
    perf_streams_close_ended(streams);
    return records;
}

void perf_streams_free(struct perf_streams *streams)
{
    free(streams->items);
    *streams = (struct perf_streams){0};
}
