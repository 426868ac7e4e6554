// SPDX-License-Identifier: Apache-2.0
// Files that belong to this program: beside it in the build folder, or in libexec/ and lib/ of the tree it is installed
// in.
#ifndef PROFILER_INSTALL_INSTALLED_FILES_H
#define PROFILER_INSTALL_INSTALLED_FILES_H

#include <stddef.h>

// Path of the first that can be read. -ENOENT: there is none.
int installed_files_find(char *path, size_t size, const char *name);

#endif
