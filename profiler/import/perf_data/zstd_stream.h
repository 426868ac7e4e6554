// SPDX-License-Identifier: Apache-2.0
// Decompresses a stream of Zstandard (RFC 8878) with libzstd, which is loaded when the first stream is opened.
#ifndef PROFILER_IMPORT_PERF_DATA_ZSTD_STREAM_H
#define PROFILER_IMPORT_PERF_DATA_ZSTD_STREAM_H

#include <stddef.h>

struct zstd_stream;

// -ELIBACC: there is no libzstd.so.1 (a static program loads none); -ENOMEM.
int zstd_stream_open(struct zstd_stream **stream);
void zstd_stream_close(struct zstd_stream *stream);

// Decompresses the bytes and calls take for each piece of output; an error of take (-errno) ends it. -EBADMSG: damaged
// bytes.
typedef int zstd_stream_take(void *context, const char *bytes, size_t count);
int zstd_stream_add(struct zstd_stream *stream, const char *bytes, size_t count, zstd_stream_take *take, void *context);

#endif
