// SPDX-License-Identifier: Apache-2.0
// The files that the target runs. Each is held open from its first mapping, so that later reads get the file that ran,
// even if its name leads to another file by then (a build that replaces a program while it is recorded).
#ifndef PROFILER_SYMBOLS_FILES_PROGRAM_FILES_H
#define PROFILER_SYMBOLS_FILES_PROGRAM_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/process/open_as.h"

struct program_files;

// NULL: out of memory.
struct program_files *program_files_new(void);
void program_files_free(struct program_files *files);

// A process has mapped the file at that time (ns, CLOCK_MONOTONIC). path is interned, begins with '/', and is resolved
// in the process's own view of the file system.
void program_files_see(struct program_files *files, pid_t pid, const char *path, uint64_t time);

// For files that were mapped on another machine or long ago: looks for them below root ("": /), then in perf's cache of
// files by build id (~/.debug). Call it right after program_files_new.
void program_files_of_elsewhere(struct program_files *files, const char *root);

// Sets the build id of the file that was mapped under this path (interned). A file with another one is not used.
void program_files_expect(struct program_files *files, const char *path, const unsigned char *build_id, unsigned bytes);

// Returns a descriptor, which the caller closes, of the file that was first seen under this path; a path that was not
// seen is seen now. -ESTALE: the file was changed or replaced since; -ENOENT and other errors of open(2).
int program_files_descriptor(struct program_files *files, const char *path);

// True if the file that was first seen under this path can be read and is as it was. (One that is not held is looked up
// by its path.)
bool program_files_is_unchanged(const struct program_files *files, const char *path);

// Owner of the file; root: not known.
struct open_as program_files_owner(const struct program_files *files, const char *path);

// Calls each with the path of every file that was seen, and its descriptor if it is held (else -1).
void program_files_each(const struct program_files *files, void (*each)(void *to, const char *path, int fd), void *to);

// Remembers the checksum of a file for whoever asks again while it stays as it is: debug files can have gigabytes.
void program_files_keep_checksum(struct program_files *files, const struct stat *status, uint32_t checksum);
bool program_files_checksum(const struct program_files *files, const struct stat *status, uint32_t *checksum);

// Number of files that were not read because they had changed or have another build id.
uint64_t program_files_stale(const struct program_files *files);

// Number of files that were looked for and not found.
uint64_t program_files_missing(const struct program_files *files);

#endif
