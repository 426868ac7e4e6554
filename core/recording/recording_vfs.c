// SPDX-License-Identifier: Apache-2.0
#include "core/recording/recording_vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct recording_vfs_entry {
    uint64_t offset, size;
    // size bytes follow
};

struct recording_vfs_file {
    sqlite3_file base;    // SQLite's view; must be first
    char *log;            // entries of the commit under way, as they will be appended
    size_t used, size;
    sqlite3_int64 end;    // size of the database once the log is applied
    bool undoes;          // what SQLite writes is in the file already
    bool half_applied;    // the appended part could not be put into place: nothing may come behind it
    sqlite3_file *real;   // the file of the system's VFS, behind this struct
};

static struct recording_vfs_file *recording_vfs_file(sqlite3_file *file)
{
    return (struct recording_vfs_file *)file;
}

// Checksums are over multi-megabyte commits: by words, it costs less than the copy.
static uint64_t recording_vfs_checksum(const char *data, size_t size)
{
    uint64_t sum = UINT64_C(14695981039346656037), word; // FNV-1a offset basis and prime
    for (; size >= sizeof word; data += sizeof word, size -= sizeof word) {
        memcpy(&word, data, sizeof word);
        sum = (sum ^ word) * UINT64_C(1099511628211);
    }
    for (; size > 0; data++, size--)
        sum = (sum ^ (unsigned char)*data) * UINT64_C(1099511628211);
    return sum;
}

static struct recording_vfs_entry *recording_vfs_next(const struct recording_vfs_file *f, size_t *at)
{
    if (*at >= f->used)
        return NULL;
    struct recording_vfs_entry *entry = (struct recording_vfs_entry *)(f->log + *at);
    *at += sizeof *entry + entry->size;
    return entry;
}

static int recording_vfs_log(struct recording_vfs_file *f, const void *data, size_t size, sqlite3_int64 offset)
{
    struct recording_vfs_entry entry = {.offset = (uint64_t)offset, .size = size};
    size_t needed = f->used + sizeof entry + size;
    if (needed > f->size) {
        size_t larger = needed * 2;
        char *log = realloc(f->log, larger);
        if (!log)
            return SQLITE_NOMEM;
        f->log = log;
        f->size = larger;
    }
    memcpy(f->log + f->used, &entry, sizeof entry);
    memcpy(f->log + f->used + sizeof entry, data, size);
    f->used = needed;
    return SQLITE_OK;
}

// SQLite's own VFS takes the length modulo 128 KiB (its pages are smaller): write in pieces.
static int recording_vfs_write_real(const struct recording_vfs_file *f, const char *data, size_t size,
                                    sqlite3_int64 offset)
{
    enum { PIECE = 64 << 10 };
    for (size_t at = 0; at < size; at += PIECE) {
        int n = (int)(size - at < PIECE ? size - at : PIECE);
        int status = f->real->pMethods->xWrite(f->real, data + at, n, offset + (sqlite3_int64)at);
        if (status != SQLITE_OK)
            return status;
    }
    return SQLITE_OK;
}

// Writes pages at or behind this offset (or before it) to their places.
static int recording_vfs_place(const struct recording_vfs_file *f, sqlite3_int64 offset, bool behind)
{
    const struct recording_vfs_entry *entry;
    for (size_t at = 0; (entry = recording_vfs_next(f, &at));) {
        const sqlite3_int64 to = (sqlite3_int64)entry->offset;
        int status = (to >= offset) == behind
                         ? recording_vfs_write_real(f, (const char *)(entry + 1), entry->size, to)
                         : SQLITE_OK;
        if (status != SQLITE_OK)
            return status;
    }
    return SQLITE_OK;
}

static int recording_vfs_append(const struct recording_vfs_file *f, sqlite3_int64 old_end)
{
    sqlite3_int64 start = old_end > f->end ? old_end : f->end;
    struct recording_vfs_footer footer = {
        .magic = RECORDING_VFS_MAGIC,
        .start = (uint64_t)start,
        .end = (uint64_t)f->end,
        .checksum = recording_vfs_checksum(f->log, f->used),
    };
    int status = recording_vfs_place(f, old_end, true);
    if (status == SQLITE_OK)
        status = recording_vfs_write_real(f, f->log, f->used, start);
    if (status == SQLITE_OK)
        status = recording_vfs_write_real(f, (const char *)&footer, sizeof footer, start + (sqlite3_int64)f->used);
    if (status != SQLITE_OK)
        f->real->pMethods->xTruncate(f->real, old_end); // a full disk: give back what the half-written part took
    return status;
}

static int recording_vfs_apply(const struct recording_vfs_file *f, sqlite3_int64 old_end)
{
    int status = recording_vfs_place(f, old_end, false);
    return status == SQLITE_OK ? f->real->pMethods->xTruncate(f->real, f->end) : status;
}

static int recording_vfs_commit(struct recording_vfs_file *f)
{
    sqlite3_int64 old_end;
    if (f->used == 0)
        return SQLITE_OK;
    int status = f->half_applied ? SQLITE_IOERR_WRITE : f->real->pMethods->xFileSize(f->real, &old_end);
    if (status == SQLITE_OK)
        status = recording_vfs_append(f, old_end);
    if (status == SQLITE_OK) {
        status = recording_vfs_apply(f, old_end);
        f->half_applied = status != SQLITE_OK;
    }
    f->used = 0;
    f->undoes = status != SQLITE_OK; // SQLite rolls back before COMMIT returns
    return status;
}

static int recording_vfs_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 offset)
{
    struct recording_vfs_file *f = recording_vfs_file(file);
    int status = f->undoes ? SQLITE_OK : recording_vfs_log(f, data, (size_t)size, offset);
    if (status != SQLITE_OK) {
        f->used = 0;
        f->undoes = true; // SQLite rolls back, and must be able to
    } else if (offset + size > f->end) {
        f->end = offset + size;
    }
    return status;
}

// SQLite reads whole pages or parts of the first one, and logged entries are whole pages: one entry covers a read.
static int recording_vfs_read(sqlite3_file *file, void *data, int size, sqlite3_int64 offset)
{
    const struct recording_vfs_file *f = recording_vfs_file(file);
    const struct recording_vfs_entry *entry, *newest = NULL;
    uint64_t first = (uint64_t)offset, last = first + (uint64_t)size;
    for (size_t at = 0; (entry = recording_vfs_next(f, &at));)
        if (entry->offset <= first && last <= entry->offset + entry->size)
            newest = entry;
    if (!newest)
        return f->real->pMethods->xRead(f->real, data, size, offset);
    memcpy(data, (const char *)(newest + 1) + (first - newest->offset), (size_t)size);
    return SQLITE_OK;
}

static int recording_vfs_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    recording_vfs_file(file)->end = size;
    return SQLITE_OK;
}

static int recording_vfs_file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = recording_vfs_file(file)->end;
    return SQLITE_OK;
}

static int recording_vfs_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    return recording_vfs_commit(recording_vfs_file(file));
}

// SQLITE_FCNTL_SYNC comes at every commit, also with PRAGMA synchronous = OFF (SQLite's description of the opcode).
static int recording_vfs_control(sqlite3_file *file, int operation, void *argument)
{
    struct recording_vfs_file *f = recording_vfs_file(file);
    if (operation == SQLITE_FCNTL_SYNC)
        return recording_vfs_commit(f);
    if (operation == RECORDING_VFS_UNDO) {
        f->used = 0;
        f->undoes = *(const bool *)argument;
        return f->real->pMethods->xFileSize(f->real, &f->end);
    }
    return f->real->pMethods->xFileControl(f->real, operation, argument);
}

// One writer, one connection: nothing to lock.
static int recording_vfs_lock(sqlite3_file *file, int level)
{
    (void)file, (void)level;
    return SQLITE_OK;
}

static int recording_vfs_check_lock(sqlite3_file *file, int *held)
{
    (void)file;
    *held = 0;
    return SQLITE_OK;
}

static int recording_vfs_sector_size(sqlite3_file *file)
{
    (void)file;
    return 4096; // SQLite's default; only its journal, which is in memory, asks
}

static int recording_vfs_characteristics(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static int recording_vfs_close(sqlite3_file *file)
{
    struct recording_vfs_file *f = recording_vfs_file(file);
    free(f->log);
    return f->real->pMethods->xClose(f->real);
}

static const sqlite3_io_methods recording_vfs_methods = {
    .iVersion = 1,
    .xClose = recording_vfs_close,
    .xRead = recording_vfs_read,
    .xWrite = recording_vfs_write,
    .xTruncate = recording_vfs_truncate,
    .xSync = recording_vfs_sync,
    .xFileSize = recording_vfs_file_size,
    .xLock = recording_vfs_lock,
    .xUnlock = recording_vfs_lock,
    .xCheckReservedLock = recording_vfs_check_lock,
    .xFileControl = recording_vfs_control,
    .xSectorSize = recording_vfs_sector_size,
    .xDeviceCharacteristics = recording_vfs_characteristics,
};

static int recording_vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
    sqlite3_vfs *system = vfs->pAppData;
    struct recording_vfs_file *f = recording_vfs_file(file);
    *f = (struct recording_vfs_file){.real = (sqlite3_file *)(f + 1)};
    int status = system->xOpen(system, name, f->real, flags, flags_out);
    if (status != SQLITE_OK)
        return status;
    status = f->real->pMethods->xFileSize(f->real, &f->end);
    if (status == SQLITE_OK)
        f->base.pMethods = &recording_vfs_methods;
    else
        f->real->pMethods->xClose(f->real);
    return status;
}

int recording_vfs_register(void)
{
    if (sqlite3_vfs_find(RECORDING_VFS_NAME))
        return 0;
    // No lock files and no fcntl locks: there is one writer, and locks hang on some network file systems.
    sqlite3_vfs *system = sqlite3_vfs_find("unix-none");
    sqlite3_vfs *vfs = system ? malloc(sizeof *vfs) : NULL;
    if (!vfs)
        return -ENOMEM;
    *vfs = *system;
    vfs->zName = RECORDING_VFS_NAME;
    vfs->szOsFile = (int)sizeof(struct recording_vfs_file) + system->szOsFile;
    vfs->pAppData = system;
    vfs->pNext = NULL;
    vfs->xOpen = recording_vfs_open;
    if (sqlite3_vfs_register(vfs, 0) != SQLITE_OK) {
        free(vfs);
        return -EIO;
    }
    return 0; // SQLite keeps the VFS for the life of the process
}
