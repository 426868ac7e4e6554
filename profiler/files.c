// SPDX-License-Identifier: Apache-2.0
#include "profiler/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/table.h"

enum { FILES_HELD = 128 };       // descriptors kept; others are opened anew and must be the same still

struct files_file {
    struct stat seen;
    int fd;                      // -1: not held
    int error;                   // of opening it when it was seen
    bool is_stale;
};

struct files {
    struct table by_path;        // interned path -> struct files_file *
    int held;
    uint64_t stale;
};

struct files *files_new(void)
{
    return calloc(1, sizeof(struct files));
}

void files_free(struct files *files)
{
    uint64_t path, value;
    if (!files)
        return;
    for (size_t at = 0; table_next(&files->by_path, &at, &path, &value);) {
        struct files_file *file = (struct files_file *)(uintptr_t)value;
        if (file->fd >= 0)
            close(file->fd);
        free(file);
    }
    table_free(&files->by_path);
    free(files);
}

// Only what is a file: a name may lead to a pipe by now, and reading that would wait.
static int files_open(const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    if (fstat(fd, status) == 0 && S_ISREG(status->st_mode))
        return fd;
    close(fd);
    return -ENOENT;
}

static int files_open_of(pid_t pid, const char *path, struct stat *status)
{
    char theirs[PATH_MAX + 32];
    snprintf(theirs, sizeof theirs, "/proc/%d/root%s", pid, path);
    int fd = pid > 0 ? files_open(theirs, status) : -ENOENT;
    return fd >= 0 ? fd : files_open(path, status); // without the right to look into that process, ours
}

static struct files_file *files_add(struct files *files, pid_t pid, const char *path)
{
    struct files_file *file = calloc(1, sizeof *file);
    if (!file || table_put(&files->by_path, (uintptr_t)path, (uintptr_t)file) < 0) {
        free(file);
        return NULL;
    }
    file->fd = files_open_of(pid, path, &file->seen);
    file->error = file->fd < 0 ? file->fd : 0;
    if (file->fd >= 0 && files->held == FILES_HELD) {
        close(file->fd);
        file->fd = -1;
    }
    files->held += file->fd >= 0;
    return file;
}

static struct files_file *files_get(const struct files *files, const char *path)
{
    uint64_t value;
    return table_get(&files->by_path, (uintptr_t)path, &value) ? (struct files_file *)(uintptr_t)value : NULL;
}

static int64_t files_ns(const struct timespec *t)
{
    return t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

// Written between then and now, as far as the clock of files tells; it goes in steps, and not on every server as ours.
static bool files_written_since(const struct stat *status, uint64_t time)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    int64_t then = files_ns(&wall) - (int64_t)(clock_now() - time), written = files_ns(&status->st_mtim);
    return written > then && written <= files_ns(&wall);
}

void files_see(struct files *files, pid_t pid, const char *path, uint64_t time)
{
    struct files_file *file = files_get(files, path) ? NULL : files_add(files, pid, path);
    if (!file || file->error < 0 || !files_written_since(&file->seen, time))
        return;
    file->error = -ESTALE; // between the mapping and our look
    file->is_stale = true;
    files->stale++;
}

static bool files_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int files_descriptor(struct files *files, const char *path)
{
    struct stat now;
    struct files_file *file = files_get(files, path);
    if (!file)
        file = files_add(files, 0, path);
    if (!file)
        return -ENOMEM;
    if (file->error < 0)
        return file->error;
    int fd = file->fd >= 0 ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : files_open(path, &now);
    if (fd < 0)
        return file->fd >= 0 ? -errno : fd;
    if (fstat(fd, &now) == 0 && files_is_same(&file->seen, &now))
        return fd;
    close(fd);
    files->stale += !file->is_stale;
    file->is_stale = true;
    return -ESTALE;
}

uint64_t files_stale(const struct files *files)
{
    return files->stale;
}
