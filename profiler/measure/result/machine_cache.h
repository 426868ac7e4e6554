// SPDX-License-Identifier: Apache-2.0
// What was found out about this machine, as one file each in the user's cache folder: $XDG_CACHE_HOME/numaprof, else
// ~/.cache/numaprof. A file's name ends with a key of the machine's identity.
#ifndef PROFILER_MEASURE_RESULT_MACHINE_CACHE_H
#define PROFILER_MEASURE_RESULT_MACHINE_CACHE_H

#include <stddef.h>
#include <stdio.h>

// "FOLDER/KIND-KEY". -ENOENT: no home folder; -ENAMETOOLONG.
int machine_cache_path(char *path, size_t size, const char *kind, const char *identity);

// Replaces the file by what write puts out, whole or not at all; makes its folders. -errno.
int machine_cache_write(const char *path, void (*write)(FILE *out, const void *what), const void *what);

#endif
