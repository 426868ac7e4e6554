// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/files/program_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/process/regular_file.h"
#include "core/system/clock.h"
#include "core/util/table.h"
#include "profiler/symbols/files/build_id.h"

enum {
    PROGRAM_FILES_HELD = 128,    // descriptors kept; others are opened anew and must be the same still
    PROGRAM_FILES_BUILD_ID_BYTES = 20,
};

struct program_files_file {
    struct stat seen;
    int fd;                      // -1: not held
    int error;                   // of opening it when it was seen
    bool is_stale;
    char *where;                 // it was opened there; NULL: under its own path
};

// What is known of a file before it is looked for.
struct program_files_build {
    unsigned bytes;
    unsigned char id[PROGRAM_FILES_BUILD_ID_BYTES];
};

struct program_files_checksum {
    struct stat seen;
    uint32_t sum;
};

struct program_files {
    struct table checksums;      // inode number -> struct program_files_checksum *, of the file asked for last
    struct table by_path;        // interned path -> struct program_files_file *
    struct table builds;         // interned path -> struct program_files_build *
    const char *root;            // NULL: the target runs here, now
    int held;
    uint64_t stale, missing;
};

struct program_files *program_files_new(void)
{
    return calloc(1, sizeof(struct program_files));
}

void program_files_free(struct program_files *files)
{
    uint64_t path, value;
    if (!files)
        return;
    for (size_t at = 0; table_next(&files->by_path, &at, &path, &value);) {
        struct program_files_file *file = (struct program_files_file *)(uintptr_t)value;
        if (file->fd >= 0)
            close(file->fd);
        free(file->where);
        free(file);
    }
    for (size_t at = 0; table_next(&files->builds, &at, &path, &value);)
        free((void *)(uintptr_t)value);
    for (size_t at = 0; table_next(&files->checksums, &at, &path, &value);)
        free((void *)(uintptr_t)value);
    table_free(&files->checksums);
    table_free(&files->by_path);
    table_free(&files->builds);
    free(files);
}

static int program_files_open_of(pid_t pid, const char *path, struct stat *status)
{
    char theirs[PATH_MAX + 32];
    snprintf(theirs, sizeof theirs, "/proc/%d/root%s", pid, path);
    int fd = pid > 0 ? regular_file_open(theirs, 0, status) : -ENOENT;
    return fd >= 0 ? fd : regular_file_open(path, 0, status); // without the right to look into that process, ours
}

// --- files of elsewhere

void program_files_of_elsewhere(struct program_files *files, const char *root)
{
    files->root = root;
}

void program_files_expect(struct program_files *files, const char *path, const unsigned char *build_id, unsigned bytes)
{
    uint64_t known;
    struct program_files_build *build;
    if (bytes == 0 || bytes > PROGRAM_FILES_BUILD_ID_BYTES || table_get(&files->builds, (uintptr_t)path, &known))
        return;
    build = calloc(1, sizeof *build);
    if (!build || table_put(&files->builds, (uintptr_t)path, (uintptr_t)build) < 0) {
        free(build);
        return;
    }
    build->bytes = bytes;
    memcpy(build->id, build_id, bytes);
}

// The file that perf keeps for its own reports: ~/.debug/.build-id/ab/cdef.../elf
static bool program_files_cache_path(const struct program_files_build *build, char *path, size_t size)
{
    char cache[PATH_MAX];
    const char *home = getenv("HOME");
    snprintf(cache, sizeof cache, "%s/.debug", home ? home : "");
    return build_id_path(path, size, cache, build->id, build->bytes, "/elf");
}

// -ESTALE: it is of another build than was expected.
static int program_files_open_build(const char *path, struct stat *status, const struct program_files_build *build)
{
    int fd = regular_file_open(path, 0, status);
    if (fd < 0 || !build || build_id_matches(fd, build->id, build->bytes))
        return fd;
    close(fd);
    return -ESTALE;
}

static int program_files_open_elsewhere(struct program_files *files, const char *path, struct program_files_file *file)
{
    char there[PATH_MAX];
    uint64_t value;
    const struct program_files_build *build = NULL;
    if (table_get(&files->builds, (uintptr_t)path, &value))
        build = (const struct program_files_build *)(uintptr_t)value;
    snprintf(there, sizeof there, "%s%s", files->root, path);
    int fd = program_files_open_build(there, &file->seen, build), error = fd;
    if (fd < 0 && build && program_files_cache_path(build, there, sizeof there))
        fd = program_files_open_build(there, &file->seen, build);
    if (fd >= 0 && (file->where = strdup(there)))
        return fd;
    if (fd >= 0) {
        close(fd);
        error = -ENOMEM; // under its own path it would be another file
    }
    file->is_stale = error == -ESTALE;
    files->stale += file->is_stale;
    files->missing += !file->is_stale;
    return error;
}

// --- seeing them

static struct program_files_file *program_files_add(struct program_files *files, pid_t pid, const char *path)
{
    struct program_files_file *file = calloc(1, sizeof *file);
    if (!file || table_put(&files->by_path, (uintptr_t)path, (uintptr_t)file) < 0) {
        free(file);
        return NULL;
    }
    file->fd = files->root ? program_files_open_elsewhere(files, path, file)
                           : program_files_open_of(pid, path, &file->seen);
    file->error = file->fd < 0 ? file->fd : 0;
    if (file->fd >= 0 && files->held == PROGRAM_FILES_HELD) {
        close(file->fd);
        file->fd = -1;
    }
    files->held += file->fd >= 0;
    return file;
}

static struct program_files_file *program_files_get(const struct program_files *files, const char *path)
{
    uint64_t value;
    return table_get(&files->by_path, (uintptr_t)path, &value) ? (struct program_files_file *)(uintptr_t)value : NULL;
}

static int64_t program_files_ns(const struct timespec *t)
{
    return t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

// Written between then and now, as far as the clock of files tells; it goes in steps, and not on every server as ours.
static bool program_files_written_since(const struct stat *status, uint64_t time)
{
    const struct timespec wall = clock_read(CLOCK_REALTIME); // that of files
    int64_t then = program_files_ns(&wall) - (int64_t)(clock_now() - time),
            written = program_files_ns(&status->st_mtim);
    return written > then && written <= program_files_ns(&wall);
}

void program_files_see(struct program_files *files, pid_t pid, const char *path, uint64_t time)
{
    struct program_files_file *file = program_files_get(files, path) ? NULL : program_files_add(files, pid, path);
    if (!file || file->error < 0 || !program_files_written_since(&file->seen, time))
        return;
    file->error = -ESTALE; // between the mapping and our look
    file->is_stale = true;
    files->stale++;
}

static bool program_files_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int program_files_descriptor(struct program_files *files, const char *path)
{
    struct stat now;
    struct program_files_file *file = program_files_get(files, path);
    if (!file)
        file = program_files_add(files, 0, path);
    if (!file)
        return -ENOMEM;
    if (file->error < 0)
        return file->error;
    int fd = file->fd >= 0 ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0)
                            : regular_file_open(file->where ? file->where : path, 0, &now);
    if (fd < 0)
        return file->fd >= 0 ? -errno : fd;
    if (fstat(fd, &now) == 0 && program_files_is_same(&file->seen, &now))
        return fd;
    close(fd);
    files->stale += !file->is_stale;
    file->is_stale = true;
    return -ESTALE;
}

bool program_files_is_unchanged(const struct program_files *files, const char *path)
{
    struct stat now;
    const struct program_files_file *file = program_files_get(files, path);
    if (!file || file->error < 0 || file->is_stale)
        return false;
    int status = file->fd >= 0 ? fstat(file->fd, &now) : stat(file->where ? file->where : path, &now);
    return status == 0 && program_files_is_same(&file->seen, &now);
}

struct open_as program_files_owner(const struct program_files *files, const char *path)
{
    const struct program_files_file *file = program_files_get(files, path);
    if (!file || file->error != 0)
        return (struct open_as){0};
    return (struct open_as){.uid = file->seen.st_uid, .gid = file->seen.st_gid};
}

static struct program_files_checksum *program_files_known(const struct program_files *files, const struct stat *status)
{
    uint64_t value;
    return table_get(&files->checksums, status->st_ino, &value) ? (struct program_files_checksum *)(uintptr_t)value
                                                                 : NULL;
}

void program_files_keep_checksum(struct program_files *files, const struct stat *status, uint32_t checksum)
{
    struct program_files_checksum *known = program_files_known(files, status), *made = NULL;
    if (!known && !(known = made = malloc(sizeof *made)))
        return; // it will be read again
    *known = (struct program_files_checksum){.seen = *status, .sum = checksum};
    if (made && table_put(&files->checksums, status->st_ino, (uintptr_t)made) < 0)
        free(made);
}

bool program_files_checksum(const struct program_files *files, const struct stat *status, uint32_t *checksum)
{
    const struct program_files_checksum *known = program_files_known(files, status);
    if (!known || !program_files_is_same(&known->seen, status))
        return false;
    *checksum = known->sum;
    return true;
}

uint64_t program_files_stale(const struct program_files *files)
{
    return files->stale;
}

uint64_t program_files_missing(const struct program_files *files)
{
    return files->missing;
}

void program_files_each(const struct program_files *files, void (*each)(void *to, const char *path, int fd), void *to)
{
    uint64_t path, value;
    for (size_t at = 0; table_next(&files->by_path, &at, &path, &value);)
        each(to, (const char *)(uintptr_t)path, ((const struct program_files_file *)(uintptr_t)value)->fd);
}
