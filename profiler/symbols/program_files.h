// SPDX-License-Identifier: Apache-2.0
// The files that the target runs: each is held open from when it is first mapped, so that what is read of it later is what
// ran, though its name may lead to another file by then (a build that replaces a program that is being recorded).
#ifndef PROFILER_SYMBOLS_PROGRAM_FILES_H
#define PROFILER_SYMBOLS_PROGRAM_FILES_H

#include <stdint.h>
#include <sys/types.h>

struct program_files;

// NULL: out of memory.
struct program_files *program_files_new(void);
void program_files_free(struct program_files *files);

// A process has mapped the file at that time (CLOCK_MONOTONIC); path is interned and begins with '/'. The process's own view of
// the file system counts.
void program_files_see(struct program_files *files, pid_t pid, const char *path, uint64_t time);

// A descriptor of it for the caller to close: the file that was seen first under this path. -ESTALE: it has been changed or
// replaced since; -ENOENT and others of open(2). A path that was not seen is seen now.
int program_files_descriptor(struct program_files *files, const char *path);

// Calls each with the path of every file, as it was seen.
void program_files_each(const struct program_files *files, void (*each)(void *to, const char *path), void *to);

// How many files could not be read because they had changed.
uint64_t program_files_stale(const struct program_files *files);

#endif
