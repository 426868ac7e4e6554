// SPDX-License-Identifier: Apache-2.0
// Reads numbers and texts of the kernel's records and of perf.data files from a range of bytes, never beyond its end. A
// read beyond the end gives 0 or "" and marks the range as short.
#ifndef COLLECTORS_PERF_PERF_BYTES_H
#define COLLECTORS_PERF_PERF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct perf_bytes {
    const char *at, *end;
    bool is_swapped;             // the numbers are of the other byte order
    bool is_short;
};

static inline const void *perf_bytes_take(struct perf_bytes *bytes, uint64_t count)
{
    if (count > (uint64_t)(bytes->end - bytes->at)) {
        bytes->is_short = true;
        bytes->at = bytes->end;
        return NULL;
    }
    const char *taken = bytes->at;
    bytes->at += count;
    return taken;
}

static inline void perf_bytes_copy(struct perf_bytes *bytes, void *to, size_t size)
{
    const char *taken = perf_bytes_take(bytes, size);
    if (taken)
        memcpy(to, taken, size);
}

static inline uint32_t perf_bytes_u32(struct perf_bytes *bytes)
{
    uint32_t value = 0;
    perf_bytes_copy(bytes, &value, sizeof value);
    return bytes->is_swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t perf_bytes_u64(struct perf_bytes *bytes)
{
    uint64_t value = 0;
    perf_bytes_copy(bytes, &value, sizeof value);
    return bytes->is_swapped ? __builtin_bswap64(value) : value;
}

// struct perf_header_string: 32 bits of length, then that many bytes with the final NUL and padding. Never NULL.
static inline const char *perf_bytes_text(struct perf_bytes *bytes)
{
    const uint32_t length = perf_bytes_u32(bytes);
    const char *text = perf_bytes_take(bytes, length);
    return text && memchr(text, '\0', length) ? text : "";
}

#endif
