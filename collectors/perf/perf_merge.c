// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/perf_merge.h"

#include <stdbool.h>

// Looks at the front record. False if there is none left.
static bool perf_merge_look(struct perf_stream *stream)
{
    const struct perf_event_header *header = perf_ring_front(&stream->ring);
    stream->front_time = header ? perf_record_time(header, &stream->layout) : UINT64_MAX;
    return header != NULL;
}

// Moves the stream at i down to its place: a heap with the oldest front record at 0.
static void perf_merge_sift(struct perf_stream **heap, size_t count, size_t i)
{
    for (;;) {
        size_t oldest = i, left = 2 * i + 1, right = left + 1;
        if (left < count && heap[left]->front_time < heap[oldest]->front_time)
            oldest = left;
        if (right < count && heap[right]->front_time < heap[oldest]->front_time)
            oldest = right;
        if (oldest == i)
            return;
        struct perf_stream *swapped = heap[i];
        heap[i] = heap[oldest];
        heap[oldest] = swapped;
        i = oldest;
    }
}

size_t perf_merge_drain(struct perf_stream **streams, size_t count, uint64_t until)
{
    for (size_t i = 0; i < count; i++) {
        perf_ring_refresh(&streams[i]->ring);
        perf_merge_look(streams[i]);
    }
    for (size_t i = count / 2; i-- > 0;)
        perf_merge_sift(streams, count, i);

    size_t records = 0;
    while (count > 0 && streams[0]->front_time < until) {
        struct perf_stream *stream = streams[0];
        const struct perf_event_header *header = perf_ring_front(&stream->ring);
        if (header) { // a target may have overwritten what perf_merge_look saw
            stream->handle(stream, header, stream->front_time);
            perf_ring_skip(&stream->ring);
            records++;
        }
        perf_merge_look(stream);
        perf_merge_sift(streams, count, 0);
    }
    for (size_t i = 0; i < count; i++)
        perf_ring_release(&streams[i]->ring);
    return records;
}
