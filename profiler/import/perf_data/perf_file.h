// SPDX-License-Identifier: Apache-2.0
// A perf.data file: header, events, and the records one after the other. The kernel describes the format in
// tools/perf/Documentation/perf.data-file-format.txt. Every offset and length is checked against the file before use.
#ifndef PROFILER_IMPORT_PERF_DATA_PERF_FILE_H
#define PROFILER_IMPORT_PERF_DATA_PERF_FILE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/perf/perf_record.h"
#include "core/util/table.h"
#include "profiler/import/perf_data/perf_features.h"

struct event_entry;

enum { PERF_FILE_EVENTS = 4096 };    // more in one file are refused
#define PERF_FILE_NAMED UINT32_MAX   // attr.type of an event of which only the name is known

// Records that perf itself writes (tools/lib/perf/include/perf/event.h).
enum perf_file_record {
    PERF_FILE_OWN = 64,              // the first of them
    PERF_FILE_ATTR = 64,
    PERF_FILE_TRACING_DATA = 66,
    PERF_FILE_BUILD_ID = 67,
    PERF_FILE_FINISHED_ROUND = 68,
    PERF_FILE_ID_INDEX = 69,
    PERF_FILE_AUXTRACE = 71,
    PERF_FILE_THREAD_MAP = 73,       // the next six: of perf stat record
    PERF_FILE_CPU_MAP = 74,
    PERF_FILE_STAT_CONFIG = 75,
    PERF_FILE_STAT = 76,             // a count
    PERF_FILE_STAT_ROUND = 77,
    PERF_FILE_EVENT_UPDATE = 78,
    PERF_FILE_FEATURE = 80,
    PERF_FILE_COMPRESSED = 81,
    PERF_FILE_COMPRESSED2 = 83,
    PERF_FILE_LAST_KNOWN = 84,       // BPF_METADATA, Linux 6.16
};

struct perf_file_event {
    struct perf_event_attr attr;     // without fields that are unknown to this program's headers
    struct perf_layout layout;
    uint64_t samples;                // read so far; the reader counts
    int64_t row;                     // its id in the recording; 0: it has none
    const char *name;                // that a pipe of perf stat told; NULL: see features.event_names
    const struct event_entry *known; // in the event catalogue; NULL: not there
    bool counts;                     // it is of page faults, and the reader took its samples
    size_t compared;                 // the reader compared it with so many events that count ...
    bool is_covered;                 // ... of which one samples the same page faults
};

struct perf_file {
    const char *bytes;               // the whole file, mapped; its owner may change it at any time
    int fd;                          // of that file, while it is mapped
    size_t size;
    const char *records, *records_end;
    const char *expanded;            // records of a compressed file or a folder, mapped; NULL: it is neither
    size_t expanded_size;
    bool is_folder;                  // perf record --threads: rounds are those of one thread
    bool is_text;                    // no perf.data, but the text of perf script
    bool is_pipe;                    // written into a pipe: feature sections are records
    bool is_swapped;                 // written on a machine of the other byte order
    bool is_cut;                     // shorter than its header says, or perf was killed before it wrote the size
    struct perf_file_event *events;
    size_t event_count, event_size;
    struct table event_of_id;        // an event's id -> its index
    struct table place_of_id;        // an event's id -> its place among those of the event
    struct table cpu_of_id;          // an event's id -> the CPU it was opened on
    struct perf_features features;
};

// path: "-" is standard input; a folder is what perf record --threads wrote. -ENOENT and other errors of open(2);
// -EINVAL: no perf.data file; -EBADMSG: damaged; -E2BIG: too many events; -ENOTSUP: the first version of the format,
// which perf dropped; -ENOMEM. perf_file_close frees it in all cases.
int perf_file_open(struct perf_file *file, const char *path);
void perf_file_close(struct perf_file *file);

// Of a file that is no perf.data file: its beginning is text, as perf script writes.
bool perf_file_is_text(const struct perf_file *file);

// Maps the file; -EINVAL: it is too short to be one. The rest of *file stays as it is.
int perf_file_map(struct perf_file *file, const char *path);
void perf_file_unmap(struct perf_file *file);

// The file became shorter (core/process/shrunk_file.h): a record of size 0, of which there is none, ends it.
bool perf_file_has_shrunk(const struct perf_file *file);

// Adds the event of a PERF_FILE_ATTR record (pipe mode). -EBADMSG, -E2BIG, -ENOMEM.
int perf_file_add_attr(struct perf_file *file, const struct perf_event_header *header);
// Takes a PERF_FILE_ID_INDEX record. -EBADMSG, -ENOMEM.
int perf_file_add_index(struct perf_file *file, const struct perf_event_header *header);

// The event that wrote the record; NULL: there is none. Of a file with one event, that one.
struct perf_file_event *perf_file_event_of(const struct perf_file *file, const struct perf_event_header *header);

// Returns the record at *at and advances *at past it and its trailing bytes. NULL: the end; *status is then 0, or
// -EBADMSG for a record that is damaged or cut off. room: for the copy of the record that is returned.
struct perf_file_room {
    uint64_t words[UINT16_MAX / sizeof(uint64_t) + 1];
};
const struct perf_event_header *perf_file_next(const struct perf_file *file, const char **at,
                                               struct perf_file_room *room, int *status);

// Gives back the memory of pages that were read; they can be read again.
void perf_file_forget(const struct perf_file *file);

#endif
