// SPDX-License-Identifier: Apache-2.0
#include "core/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/recording/recording_rows.h"
#include "core/recording/recording_vfs.h"
#include "empty_recording.h"
#include "recording_codes.h"

// Exclusive use, no second file, no spill of half a batch (recording_vfs.h says how a commit is kept whole).
static const char recording_pragmas[] = "PRAGMA locking_mode = EXCLUSIVE;"
                                        "PRAGMA journal_mode = MEMORY;"
                                        "PRAGMA synchronous = OFF;"
                                        "PRAGMA cache_spill = OFF;"
                                        "PRAGMA temp_store = MEMORY;";

static const char *const recording_sql[RECORDING_STATEMENTS] = {
    [RECORDING_RUN] = RECORDING_INSERT_RUN,
    [RECORDING_RUN_END] =
        "UPDATE run SET wall_ns=?, exit_status=?, term_signal=?, balancing_moved_pages=?, tool_cpu_ns=?",
    [RECORDING_COMPLETE] = "UPDATE run SET complete=1",
    [RECORDING_EVIDENCE] = RECORDING_INSERT_EVIDENCE,
    [RECORDING_WINDOW] = RECORDING_INSERT_WINDOW,
    [RECORDING_WINDOW_END] = "UPDATE window SET end_ns=? WHERE end_ns IS NULL",
    [RECORDING_NODE] = RECORDING_INSERT_NODE,
    [RECORDING_CPU] = RECORDING_INSERT_CPU,
    [RECORDING_DISTANCE] = RECORDING_INSERT_DISTANCE,
    [RECORDING_MEASUREMENT] = RECORDING_INSERT_MEASUREMENT,
    [RECORDING_MEASURED] = RECORDING_INSERT_MEASURED,
    [RECORDING_VERIFICATION] = RECORDING_INSERT_VERIFICATION,
    [RECORDING_VERIFIED] = RECORDING_INSERT_VERIFIED,
    [RECORDING_PROCESS] = RECORDING_INSERT_PROCESS,
    [RECORDING_PROCESS_END] = "UPDATE process SET end_ns=?2 WHERE id=?1",
    [RECORDING_PROCESS_EXE] = "UPDATE process SET exe=?2 WHERE id=?1",
    [RECORDING_PROCESS_FOLLOWED] = "UPDATE process SET followed=?2 WHERE id=?1",
    [RECORDING_THREAD] = RECORDING_INSERT_THREAD,
    [RECORDING_THREAD_NAME] = "UPDATE thread SET name=?2 WHERE id=?1",
    [RECORDING_THREAD_PIN] = "UPDATE thread SET pin=?2, planned_cpu=?3, own_cpus=?4 WHERE id=?1",
    [RECORDING_THREAD_LATE] = "UPDATE thread SET from_start=0 WHERE id=?1",
    [RECORDING_THREAD_COUNTED] = "UPDATE thread SET uncounted_ns=?2 WHERE id=?1",
    [RECORDING_THREAD_END] = "UPDATE thread SET end_ns=?2, cpu_ns=?3, migrations=?4 WHERE id=?1",
    [RECORDING_EVENT] = RECORDING_INSERT_EVENT,
    [RECORDING_COUNT] = RECORDING_INSERT_COUNT,
    [RECORDING_SAMPLE] = RECORDING_INSERT_SAMPLE,
    [RECORDING_SAMPLE_BLOCK] = "UPDATE sample SET block=?2 WHERE id=?1",
    [RECORDING_SAMPLE_SUM] = RECORDING_INSERT_SAMPLE_SUM,
    [RECORDING_PLACE] = RECORDING_INSERT_PLACE,
    [RECORDING_PLACE_SYMBOL] =
        "UPDATE place SET build_id=?2, function=?3, offset=?4, file=?5, line=?6, inline_of=?7 WHERE id=?1",
    [RECORDING_STACK] = RECORDING_INSERT_STACK,
    [RECORDING_OBJECT] = RECORDING_INSERT_OBJECT,
    [RECORDING_OBJECT_ADDRESS] = "UPDATE object SET address=?2 WHERE id=?1",
    [RECORDING_OBJECT_STACK] = "UPDATE object SET alloc_stack=?2 WHERE id=?1",
    [RECORDING_BLOCK] = RECORDING_INSERT_BLOCK,
    [RECORDING_BLOCK_END] = "UPDATE block SET end_ns=?2 WHERE id=?1",
    [RECORDING_BLOCK_RANGE] = "UPDATE block SET address=?2, bytes=?3 WHERE id=?1",
    [RECORDING_SNAPSHOT] = RECORDING_INSERT_SNAPSHOT,
    [RECORDING_PAGE_HOME] = RECORDING_INSERT_PAGE_HOME,
    [RECORDING_NOTE] = RECORDING_INSERT_NOTE,
    [RECORDING_PLACED] = RECORDING_INSERT_PLACED,
    [RECORDING_MOVER] = RECORDING_INSERT_MOVER,
    [RECORDING_NODE_MEMORY] = RECORDING_INSERT_NODE_MEMORY,
    [RECORDING_LAST_CACHE] = RECORDING_INSERT_LAST_CACHE,
    [RECORDING_RANK] = RECORDING_INSERT_RANK,
    [RECORDING_SOURCE_LINE] = RECORDING_INSERT_SOURCE_LINE,
    [RECORDING_ATTACHED] = RECORDING_INSERT_ATTACHED,
    [RECORDING_RUN_DELAY] = RECORDING_INSERT_RUN_DELAY,
    [RECORDING_PLACED_BEFORE] = RECORDING_INSERT_PLACED_BEFORE,
    [RECORDING_SAME_MEMORY] = RECORDING_INSERT_SAME_MEMORY,
    [RECORDING_CODE_FILE] = RECORDING_INSERT_CODE_FILE,
    [RECORDING_CODE_MAKER] = RECORDING_INSERT_CODE_MAKER,
    [RECORDING_OPENBLAS] = RECORDING_INSERT_OPENBLAS,
    [RECORDING_IMPORTED] = RECORDING_INSERT_IMPORTED,
    [RECORDING_IMPORTED_PART] = RECORDING_INSERT_IMPORTED_PART,
};

// For rows that come by the million. OR FAIL: SQLite then keeps no copy of what it changes, to undo half a statement;
// an error ends the recording anyway.
static const struct {
    const char *sql;
    size_t columns;
} recording_many[RECORDING_STATEMENTS] = {
    [RECORDING_COUNT] = {RECORDING_INSERT_MANY_COUNT, RECORDING_COLUMNS_COUNT},
    [RECORDING_SAMPLE] = {RECORDING_INSERT_MANY_SAMPLE, RECORDING_COLUMNS_SAMPLE},
    [RECORDING_PLACE] = {RECORDING_INSERT_MANY_PLACE, RECORDING_COLUMNS_PLACE},
    [RECORDING_STACK] = {RECORDING_INSERT_MANY_STACK, RECORDING_COLUMNS_STACK},
};

struct recording {
    sqlite3 *db;
    struct recording_rows rows;               // that recording_put_many is putting
    sqlite3_stmt *statements[RECORDING_STATEMENTS];
    sqlite3_stmt *many[RECORDING_STATEMENTS]; // NULL where there is none
    int reserve;                              // a file without a name, whose space a last note may take; -1: none
};

// SQLite's word for what went wrong, as an errno; the system's own where it kept one.
static int recording_error(const struct recording *recording, int status)
{
    int system = recording->db ? sqlite3_system_errno(recording->db) : 0;
    if ((status & 0xff) == SQLITE_IOERR && system == 0) // COMMIT does not pass it on
        sqlite3_file_control(recording->db, "main", SQLITE_FCNTL_LAST_ERRNO, &system);
    switch (status & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
        return 0;
    case SQLITE_FULL:
        return system == EDQUOT ? -EDQUOT : -ENOSPC;
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_CONSTRAINT:
        return -EINVAL;
    default:
        return system > 0 ? -system : -EIO;
    }
}

static int recording_run(const struct recording *recording, const char *sql)
{
    return recording_error(recording, sqlite3_exec(recording->db, sql, NULL, NULL, NULL));
}

bool recording_has_many(enum recording_statement statement, size_t count)
{
    return recording_many[statement].sql && recording_many[statement].columns == count;
}

static int recording_prepare(const struct recording *recording, const char *sql, sqlite3_stmt **statement)
{
    return recording_error(recording,
                           sqlite3_prepare_v3(recording->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL));
}

static int recording_write_empty_part(int fd, size_t from, size_t to)
{
    while (from < to) {
        ssize_t n = pwrite(fd, empty_recording + from, to - from, (off_t)from);
        if (n < 0 && errno != EINTR)
            return -errno;
        from += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

// The first page last: whoever is killed before leaves no half recording that looks like one.
static int recording_write_empty(int fd)
{
    int status = recording_write_empty_part(fd, EMPTY_RECORDING_PAGE_BYTES, EMPTY_RECORDING_BYTES);
    return status < 0 ? status : recording_write_empty_part(fd, 0, EMPTY_RECORDING_PAGE_BYTES);
}

// SQLite would open an existing file; O_EXCL makes sure that it is ours. A full disk shows here, before anything is
// run.
static int recording_make_file(const char *path)
{
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        return -errno;
    int status = recording_write_empty(fd);
    if (close(fd) < 0 && status == 0)
        status = -errno; // file systems over a network may tell only now
    if (status < 0)
        unlink(path);
    return status;
}

// SQLite is used by one thread at a time (first who creates, then the queue's writer): its mutexes and its memory
// statistics cost a fifth of an insert. Refused without harm once SQLite is in use.
static void recording_configure(void)
{
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Space of the same disk that nobody else can take: where the disk is full later, the recording has to say so.
static int recording_take_reserve(const char *path)
{
    enum { BYTES = 32 << 10 }; // two pages, appended and in place, and what a file system keeps about them
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0 || fallocate(fd, 0, 0, BYTES) == 0)
        return fd < 0 ? -1 : fd;
    close(fd);
    return -1;
}

static void recording_leave_reserve(struct recording *recording)
{
    if (recording->reserve >= 0)
        close(recording->reserve);
    recording->reserve = -1;
}

int recording_create(struct recording **out, const char *path)
{
    recording_configure();
    int status = recording_vfs_register();
    if (status < 0)
        return status;
    if ((status = recording_make_file(path)) < 0)
        return status;

    status = -ENOMEM;
    struct recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        goto remove_file;
    recording->reserve = recording_take_reserve(path);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    status = recording_error(recording, sqlite3_open_v2(path, &recording->db, flags, RECORDING_VFS_NAME));
    if (status == 0)
        status = recording_run(recording, recording_pragmas);
    if (status == 0)
        status = recording_error(recording, recording_rows_register(recording->db, &recording->rows));
    if (status == 0)
        status = recording_run(recording, "BEGIN");
    if (status < 0)
        goto close_recording;
    *out = recording;
    return 0;

close_recording:
    recording_close(recording);
remove_file:
    unlink(path);
    return status;
}

static void recording_bind(sqlite3_stmt *statement, size_t count, const struct recording_value *values)
{
    for (size_t i = 0; i < count; i++) {
        int parameter = (int)i + 1;
        if (values[i].text)
            sqlite3_bind_text(statement, parameter, values[i].text, -1, SQLITE_STATIC);
        else if (values[i].number == RECORDING_NULL)
            sqlite3_bind_null(statement, parameter);
        else
            sqlite3_bind_int64(statement, parameter, values[i].number);
    }
}

static int recording_step(const struct recording *recording, sqlite3_stmt *statement)
{
    int status = recording_error(recording, sqlite3_step(statement));
    sqlite3_reset(statement);
    return status;
}

int recording_put(struct recording *recording, enum recording_statement statement, size_t count,
                  const struct recording_value *values)
{
    sqlite3_stmt **prepared = &recording->statements[statement]; // at first use: a short run needs few of them
    int status = *prepared ? 0 : recording_prepare(recording, recording_sql[statement], prepared);
    if (status < 0)
        return status;
    if ((size_t)sqlite3_bind_parameter_count(*prepared) != count)
        return -EINVAL;
    recording_bind(*prepared, count, values);
    return recording_step(recording, *prepared);
}

int recording_put_many(struct recording *recording, enum recording_statement statement, size_t count,
                       const struct recording_value *const *rows)
{
    sqlite3_stmt **prepared = &recording->many[statement];
    int status = *prepared ? 0 : recording_prepare(recording, recording_many[statement].sql, prepared);
    if (status < 0)
        return status;
    recording->rows = (struct recording_rows){.rows = rows, .count = count};
    return recording_step(recording, *prepared);
}

int recording_commit(struct recording *recording)
{
    int status = recording_run(recording, "COMMIT");
    return status < 0 ? status : recording_run(recording, "BEGIN");
}

static void recording_undo(const struct recording *recording)
{
    bool undoes = true;
    sqlite3_file_control(recording->db, "main", RECORDING_VFS_UNDO, &undoes);
    recording_run(recording, "ROLLBACK");
    undoes = false;
    sqlite3_file_control(recording->db, "main", RECORDING_VFS_UNDO, &undoes);
}

void recording_cut(struct recording *recording, int error)
{
    char text[128];
    snprintf(text, sizeof text, "it could not be written any further: %s", strerror(-error));
    const struct recording_value none = {.number = RECORDING_NULL};
    const struct recording_value note[] = {none, {.text = "cut"}, none, none, none, {.text = text}, none};
    recording_undo(recording);
    recording_leave_reserve(recording);
    int status = recording_run(recording, "BEGIN");
    if (status == 0)
        status = recording_put(recording, RECORDING_NOTE, sizeof note / sizeof *note, note);
    if (status < 0 || recording_run(recording, "COMMIT") < 0)
        recording_undo(recording);
}

int recording_close(struct recording *recording)
{
    int status = recording->db && !sqlite3_get_autocommit(recording->db) ? recording_run(recording, "COMMIT") : 0;
    for (size_t i = 0; i < RECORDING_STATEMENTS; i++) {
        sqlite3_finalize(recording->statements[i]);
        sqlite3_finalize(recording->many[i]);
    }
    sqlite3_close(recording->db);
    recording_leave_reserve(recording);
    free(recording);
    return status;
}
