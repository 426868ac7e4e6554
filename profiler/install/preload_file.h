// SPDX-License-Identifier: Apache-2.0
// Where the dynamic loader finds the preload library: the file installed beside the program, else, in the program of
// `make static`, a copy in memory of the one it carries.
#ifndef PROFILER_INSTALL_PRELOAD_FILE_H
#define PROFILER_INSTALL_PRELOAD_FILE_H

#include <stddef.h>

// The path, valid as long as this process lives. -ENOENT: there is none.
int preload_file_find(char *path, size_t size);

#endif
