// SPDX-License-Identifier: GPL-2.0-or-later
// The stream prefetcher: sees the lines a CPU uses for the first time in a while, by virtual address, and names lines
// that a stream of them, ascending or descending, will need.
#ifndef HARDWARE_STREAM_H
#define HARDWARE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

enum { STREAM_COUNT = 16 };

struct stream {
    uint64_t last; // virtual line used last
    uint64_t ahead; // virtual line asked for last
    int direction; // 1, -1; 0: not known yet
    unsigned confirmed;
    uint64_t used; // 0: an empty entry
};

struct stream_table {
    uint64_t clock;
    unsigned latest; // index of the stream that was continued last
    uint64_t made; // prefetches, for the machine's skip
    struct stream streams[STREAM_COUNT];
};

// A virtual line was used. Returns the stream it continues if that is known well enough to prefetch, else NULL.
struct stream *stream_train(struct stream_table *table, uint64_t line);

// How many lines there are to prefetch for the stream.
unsigned stream_ahead(struct stream *stream);

// Goes on to the next of them, stream->ahead. False: this one is not made.
bool stream_next(struct stream_table *table, struct stream *stream);

#endif
