// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "profiler/recorder/session.h"

int session_add_stream(struct session *session, struct perf_stream *stream)
{
    if (session->stream_count == session->streams_size) {
        size_t size = session->streams_size ? session->streams_size * 2 : 64;
        struct perf_stream **streams = realloc(session->streams, size * sizeof(struct perf_stream *));
        if (!streams)
            return -ENOMEM;
        session->streams = streams;
        session->streams_size = size;
    }
    session->streams[session->stream_count++] = stream;
    return 0;
}

void session_remove_stream(struct session *session, const struct perf_stream *stream)
{
    for (size_t i = 0; i < session->stream_count; i++) {
        if (session->streams[i] == stream) {
            session->streams[i] = session->streams[--session->stream_count];
            return;
        }
    }
}
