// SPDX-License-Identifier: Apache-2.0
// The rings that are drained together, in the order of their records' times.
#ifndef COLLECTORS_PERF_PERF_STREAMS_H
#define COLLECTORS_PERF_PERF_STREAMS_H

#include "collectors/perf/perf_merge.h"

struct perf_streams {                // all zero: none
    struct perf_stream **items;
    size_t count, size;
    struct perf_stream *ended;       // closed after the next drain
    uint64_t drains;                 // so far
    uint64_t drained_at;             // the time up to which the last drain took records
};

// -ENOMEM: nobody will drain the stream; the caller must close it.
int perf_streams_add(struct perf_streams *streams, struct perf_stream *stream);

// Closes the stream (stream->close) after the next drain: a drain may be under way, and the ring may hold records.
void perf_streams_end(struct perf_streams *streams, struct perf_stream *stream);

// Removes the stream at once. Not during a drain.
void perf_streams_remove(struct perf_streams *streams, const struct perf_stream *stream);

// Hands out all records older than until (perf_merge_drain), then closes the streams that ended. Returns how many
// records.
size_t perf_streams_drain(struct perf_streams *streams, uint64_t until);

// Closes the streams that ended without a drain.
void perf_streams_close_ended(struct perf_streams *streams);

// Frees the list; the streams that it still holds belong to their owners.
void perf_streams_free(struct perf_streams *streams);

#endif
