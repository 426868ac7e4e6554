// SPDX-License-Identifier: Apache-2.0
// Which file a program's name means.
#ifndef CORE_PROCESS_EXEC_PATH_H
#define CORE_PROCESS_EXEC_PATH_H

#include <stddef.h>

#define EXEC_PATH_DEFAULT "/bin:/usr/bin" // where PATH is not set

// The first file of PATH with this name that can be executed, as execvp(3) looks for it. -EACCES: there are only
// others; -ENOENT: none. path then holds the last one tried. A name with a slash is no matter for this.
int exec_path_find(char *path, size_t size, const char *name);

#endif
