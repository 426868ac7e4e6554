// SPDX-License-Identifier: Apache-2.0
// The build id of an ELF file, and the names that folders of files by build id give it.
#ifndef PROFILER_SYMBOLS_FILES_BUILD_ID_H
#define PROFILER_SYMBOLS_FILES_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

// Whether the open file has this build id.
bool build_id_matches(int fd, const unsigned char *bits, size_t length);

// Writes root/.build-id/ab/cdef... and the suffix. False: it does not fit, or the build id is too short.
bool build_id_path(char *path, size_t size, const char *root, const unsigned char *bits, size_t length,
                   const char *suffix);

#endif
