// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_data/zstd_stream.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

// The stable part of libzstd's interface (zstd.h): its header is not needed to build numaprof.
struct zstd_stream_input {
    const void *bytes;
    size_t size, position;
};

struct zstd_stream_output {
    void *bytes;
    size_t size, position;
};

enum { ZSTD_STREAM_PIECE = 1 << 17, ZSTD_STREAM_NO_MEMORY = 64 }; // ZSTD_error_memory_allocation

struct zstd_stream {
    void *state;
    size_t (*free)(void *state);
    size_t (*decompress)(void *state, struct zstd_stream_output *output, struct zstd_stream_input *input);
    unsigned (*is_error)(size_t result);
    int (*error)(size_t result);
    char piece[ZSTD_STREAM_PIECE];
};

int zstd_stream_open(struct zstd_stream **stream)
{
    // Kept open: dlopen returns the same handle again at the cost of a look-up.
    void *library = dlopen("libzstd.so.1", RTLD_LAZY);
    void *(*create)(void) = library ? (void *(*)(void))dlsym(library, "ZSTD_createDStream") : NULL;
    struct zstd_stream *new = calloc(1, sizeof *new);
    *stream = NULL;
    if (!new)
        return -ENOMEM;
    if (create) {
        new->free = (size_t (*)(void *))dlsym(library, "ZSTD_freeDStream");
        new->decompress = (size_t (*)(void *, struct zstd_stream_output *, struct zstd_stream_input *))dlsym(
            library, "ZSTD_decompressStream");
        new->is_error = (unsigned (*)(size_t))dlsym(library, "ZSTD_isError");
        new->error = (int (*)(size_t))dlsym(library, "ZSTD_getErrorCode");
    }
    const bool is_whole = new->free && new->decompress && new->is_error && new->error;
    new->state = is_whole ? create() : NULL;
    if (!new->state) {
        free(new);
        return is_whole ? -ENOMEM : -ELIBACC;
    }
    *stream = new;
    return 0;
}

void zstd_stream_close(struct zstd_stream *stream)
{
    if (stream)
        stream->free(stream->state);
    free(stream);
}

int zstd_stream_add(struct zstd_stream *stream, const char *bytes, size_t count, zstd_stream_take *take, void *context)
{
    struct zstd_stream_input input = {.bytes = bytes, .size = count};
    bool is_full = true;
    while (input.position < input.size || is_full) {
        struct zstd_stream_output output = {.bytes = stream->piece, .size = sizeof stream->piece};
        const size_t before = input.position;
        const size_t result = stream->decompress(stream->state, &output, &input);
        if (stream->is_error(result))
            return stream->error(result) == ZSTD_STREAM_NO_MEMORY ? -ENOMEM : -EBADMSG;
        is_full = output.position == output.size; // there may be more
        int status = output.position > 0 ? take(context, stream->piece, output.position) : 0;
        if (status < 0)
            return status;
        if (output.position == 0 && input.position == before)
            return input.position < input.size ? -EBADMSG : 0;
    }
    return 0;
}
