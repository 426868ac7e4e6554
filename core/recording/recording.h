// SPDX-License-Identifier: Apache-2.0
// Writes the recording (core/recording/schema.sql). Only recording.c, recording_rows.c and recording_vfs.c use SQLite.
// Statements are named here, and values are typed. One thread writes; recording_queue.h feeds it.
#ifndef CORE_RECORDING_RECORDING_H
#define CORE_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Columns stand in the order of the schema unless the comment says otherwise.
enum recording_statement {
    RECORDING_RUN,           // insert: all columns of run
    RECORDING_RUN_END,       // update: wall_ns, exit_status, term_signal, balancing_moved_pages, tool_cpu_ns
    RECORDING_COMPLETE,      // update: none
    RECORDING_EVIDENCE,
    RECORDING_WINDOW,
    RECORDING_WINDOW_END,    // update of the open window: end_ns
    RECORDING_NODE,
    RECORDING_CPU,
    RECORDING_DISTANCE,
    RECORDING_MEASUREMENT,
    RECORDING_MEASURED,
    RECORDING_VERIFICATION,
    RECORDING_VERIFIED,
    RECORDING_PROCESS,
    RECORDING_PROCESS_END,   // update: id, end_ns
    RECORDING_PROCESS_EXE,   // update: id, exe
    RECORDING_PROCESS_FOLLOWED, // update: id, followed
    RECORDING_THREAD,
    RECORDING_THREAD_NAME,   // update: id, name
    RECORDING_THREAD_PIN,    // update: id, pin, planned_cpu, own_cpus
    RECORDING_THREAD_LATE,   // update: id: from_start becomes 0
    RECORDING_THREAD_COUNTED, // update: id, uncounted_ns
    RECORDING_THREAD_END,    // update: id, end_ns, cpu_ns, migrations
    RECORDING_EVENT,
    RECORDING_COUNT,
    RECORDING_SAMPLE,
    RECORDING_SAMPLE_BLOCK,  // update: id, block
    RECORDING_SAMPLE_SUM,
    RECORDING_PLACE,
    RECORDING_PLACE_SYMBOL,  // update: id, build_id, function, offset, file, line, inline_of
    RECORDING_STACK,
    RECORDING_OBJECT,
    RECORDING_OBJECT_ADDRESS, // update: id, address
    RECORDING_OBJECT_STACK,  // update: id, alloc_stack
    RECORDING_BLOCK,
    RECORDING_BLOCK_END,     // update: id, end_ns
    RECORDING_BLOCK_RANGE,   // update: id, address, bytes
    RECORDING_SNAPSHOT,
    RECORDING_PAGE_HOME,
    RECORDING_NOTE,          // insert without id: t_ns, kind, thread, process, value, text, remedy
    RECORDING_PLACED,
    RECORDING_MOVER,
    RECORDING_NODE_MEMORY,
    RECORDING_LAST_CACHE,
    RECORDING_RANK,
    RECORDING_SOURCE_LINE,
    RECORDING_ATTACHED,
    RECORDING_RUN_DELAY,
    RECORDING_PLACED_BEFORE,
    RECORDING_SAME_MEMORY,
    RECORDING_CODE_FILE,
    RECORDING_CODE_MAKER,
    RECORDING_OPENBLAS,
    RECORDING_IMPORTED,
    RECORDING_IMPORTED_PART,
    RECORDING_STATEMENTS
};

struct recording_value {
    const char *text;        // a text if not NULL (copied before the call returns) ...
    int64_t number;          // ... else a number; RECORDING_NULL is NULL
};
#define RECORDING_NULL INT64_MIN

struct recording;

// Creates the file, never over an existing one: -EEXIST, -EACCES, -ENOENT, -EROFS, -ENOSPC, -EIO ...
int recording_create(struct recording **recording, const char *path);

// One row or update within the batch that is open. count must be the statement's number of values (-EINVAL).
int recording_put(struct recording *recording, enum recording_statement statement, size_t count,
                  const struct recording_value *values);

// Puts any number of rows at half the cost of a single row, for inserts that come by the million. recording_has_many
// says for which statements, given the number of values.
bool recording_has_many(enum recording_statement statement, size_t count);
int recording_put_many(struct recording *recording, enum recording_statement statement, size_t count,
                       const struct recording_value *const *rows);

// Makes everything put so far survive the end of this process, and of the machine as far as the file system guarantees.
// -ENOSPC, -EDQUOT ...: this batch is lost, earlier batches stay.
int recording_commit(struct recording *recording);

// The recording ends here, for this error: what was not committed is dropped, and a note says why, if at all possible.
void recording_cut(struct recording *recording, int error);

// Commits and closes. The file stays, also after errors.
int recording_close(struct recording *recording);

#endif
