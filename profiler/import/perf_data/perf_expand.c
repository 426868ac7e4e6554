// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_data/perf_expand.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/util/grow.h"
#include "profiler/import/perf_data/zstd_stream.h"

enum { PERF_EXPAND_MOST = 1024, PERF_EXPAND_FREE = 1 << 20 }; // limit of the output: times the size, plus bytes

struct perf_expand_state {
    const struct perf_file *file;
    FILE *to;
    uint64_t written, most;      // bytes
    bool is_cut;                 // a file ends within a record
    struct zstd_stream *stream;  // of the current file; NULL: not opened yet
    char *pending;               // begin of a record whose end has not come yet
    size_t pending_bytes, pending_size;
};

static bool perf_expand_is_compressed(uint32_t type)
{
    return type == PERF_FILE_COMPRESSED || type == PERF_FILE_COMPRESSED2;
}

// The header of a whole file tells; of a pipe or a cut file, the records do.
static bool perf_expand_is_needed(const struct perf_file *file)
{
    struct perf_file_room room;
    const struct perf_event_header *header;
    const char *at = file->records;
    int status;
    if (file->is_folder)
        return true;
    if (!file->is_pipe && !file->is_cut)
        return file->features.is_compressed;
    while ((header = perf_file_next(file, &at, &room, &status)))
        if (perf_expand_is_compressed(header->type))
            return true;
    return false;
}

static int perf_expand_write(struct perf_expand_state *state, const char *bytes, size_t count)
{
    state->written += count;
    if (state->written > state->most)
        return -EOVERFLOW;
    return fwrite(bytes, 1, count, state->to) == count ? 0 : -errno;
}

// Bytes of the record; 0: its end has not come yet.
static size_t perf_expand_record_bytes(const struct perf_expand_state *state, const char *at, size_t left)
{
    struct perf_event_header header;
    if (left < sizeof header)
        return 0;
    memcpy(&header, at, sizeof header);
    const size_t bytes = state->file->is_swapped ? __builtin_bswap16(header.size) : header.size;
    return bytes <= left ? bytes : 0;
}

// Writes whole records only: uncompressed records may stand between two pieces of a compressed one.
static int perf_expand_take(void *context, const char *bytes, size_t count)
{
    struct perf_expand_state *state = context;
    char *pending = grow_array(state->pending, &state->pending_size, state->pending_bytes + count, 1);
    size_t done = 0, size;
    if (!pending)
        return -ENOMEM;
    state->pending = pending;
    memcpy(pending + state->pending_bytes, bytes, count);
    state->pending_bytes += count;
    while ((size = perf_expand_record_bytes(state, pending + done, state->pending_bytes - done)) > 0) {
        if (size < sizeof(struct perf_event_header))
            return -EBADMSG;
        done += size;
    }
    int status = perf_expand_write(state, pending, done);
    state->pending_bytes -= done;
    memmove(pending, pending + done, state->pending_bytes);
    return state->pending_bytes > UINT16_MAX ? -EBADMSG : status;
}

// COMPRESSED2 begins with the number of its data bytes; all bytes of COMPRESSED are data.
static int perf_expand_decompress(struct perf_expand_state *state, const struct perf_event_header *header)
{
    struct perf_bytes from = {.at = (const char *)(header + 1), .end = (const char *)header + header->size,
                              .is_swapped = state->file->is_swapped};
    uint64_t bytes = (uint64_t)(from.end - from.at);
    if (header->type == PERF_FILE_COMPRESSED2)
        bytes = perf_bytes_u64(&from);
    const char *data = perf_bytes_take(&from, bytes);
    int status = data ? 0 : -EBADMSG;
    if (status == 0 && !state->stream)
        status = zstd_stream_open(&state->stream);
    return status < 0 ? status : zstd_stream_add(state->stream, data, (size_t)bytes, perf_expand_take, state);
}

// All records of one file. Each file has its own compressed stream.
static int perf_expand_records(struct perf_expand_state *state, const struct perf_file *file)
{
    struct perf_file_room room;
    const struct perf_event_header *header;
    const char *at = file->records, *here = at;
    int status = 0, damage = 0;
    for (; status == 0 && (header = perf_file_next(file, &at, &room, &damage)); here = at)
        status = perf_expand_is_compressed(header->type) ? perf_expand_decompress(state, header)
                                                         : perf_expand_write(state, here, (size_t)(at - here));
    state->is_cut |= (status == 0 && damage < 0) || state->pending_bytes > 0;
    zstd_stream_close(state->stream);
    state->stream = NULL;
    state->pending_bytes = 0;
    return status;
}

// The files data.0, data.1, ... hold records without a header.
static int perf_expand_folder(struct perf_expand_state *state, const char *folder)
{
    enum { FILES = 1 << 16 };
    int status = 0;
    for (int i = 0; i < FILES && status == 0; i++) {
        char path[PATH_MAX];
        struct perf_file part = *state->file;
        snprintf(path, sizeof path, "%s/data.%d", folder, i);
        status = perf_file_map(&part, path);
        if (status == -ENOENT)
            return 0;
        if (status == -EINVAL) { // empty: a thread that had nothing to write
            status = 0;
            continue;
        }
        if (status < 0)
            return status;
        part.records = part.bytes;
        part.records_end = part.bytes + part.size;
        state->most += part.size * PERF_EXPAND_MOST;
        status = perf_expand_records(state, &part);
        perf_file_unmap(&part);
    }
    return status;
}

static int perf_expand_map(struct perf_file *file, FILE *from)
{
    struct stat status;
    if (fflush(from) != 0 || fstat(fileno(from), &status) < 0)
        return -errno;
    const size_t size = (size_t)status.st_size;
    void *bytes = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(from), 0) : NULL;
    if (bytes == MAP_FAILED)
        return -errno;
    file->expanded = bytes;
    file->expanded_size = size;
    file->records = bytes ? bytes : file->bytes;
    file->records_end = file->records + file->expanded_size;
    return 0;
}

int perf_expand(struct perf_file *file, const char *path)
{
    if (!perf_expand_is_needed(file))
        return 0;
    struct perf_expand_state state = {
        .file = file, .to = tmpfile(), .most = file->size * PERF_EXPAND_MOST + PERF_EXPAND_FREE};
    int status = state.to ? perf_expand_records(&state, file) : -errno;
    if (status == 0 && file->is_folder)
        status = perf_expand_folder(&state, path);
    if (status == 0)
        status = perf_expand_map(file, state.to);
    file->is_cut |= state.is_cut;
    free(state.pending);
    if (state.to)
        fclose(state.to);
    return status;
}
