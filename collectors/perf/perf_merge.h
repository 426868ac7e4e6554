// SPDX-License-Identifier: Apache-2.0
// Hands out the records of many rings in the order of time, so that a mapping is known before the fault in it and a
// thread before its samples. Records are taken where they stand; nothing is copied.
//
// A record that is stamped before a drain begins is in its ring when the drain reads it, but for the moments between
// stamping and publishing. So a drain hands out what is older than its own beginning, and leaves the rest for the next.
#ifndef COLLECTORS_PERF_PERF_MERGE_H
#define COLLECTORS_PERF_PERF_MERGE_H

#include "collectors/perf/perf_record.h"
#include "collectors/perf/perf_ring.h"

struct perf_stream;
typedef void perf_merge_closer(struct perf_stream *stream);
typedef void perf_merge_handler(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time);

struct perf_stream {
    struct perf_ring ring;
    struct perf_layout layout;
    perf_merge_handler *handle;
    perf_merge_closer *close; // frees it (perf_streams.h); NULL: its owner does
    struct perf_stream *next_ended; // perf_streams.h
    void *owner;             // for the handler
    uint64_t front_time;     // of the record at the front; the merge's own
};

// Hands every record older than until (ns, the events' clock; UINT64_MAX: all) to its stream's handler, oldest first,
// then gives the rings' space back. Reorders the array of streams while it works. Returns how many records there were.
// A handler must not take streams away.
size_t perf_merge_drain(struct perf_stream **streams, size_t count, uint64_t until);

#endif
