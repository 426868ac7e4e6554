// SPDX-License-Identifier: Apache-2.0
// Opens files for elfutils, and finds the debug information of one when it is not in the file: by build id and by debug
// link, on this machine only. (elfutils' own search loads a network client as soon as it is asked.)
#ifndef PROFILER_SYMBOLS_DEBUG_FILES_H
#define PROFILER_SYMBOLS_DEBUG_FILES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "profiler/symbols/program_files.h"

// For who reports modules with their files, and wants only what these have themselves.
extern const Dwfl_Callbacks debug_files_bare;

// The file that the target ran under this path, as the only module of *dwfl; with_debug: its debug information is searched
// for elsewhere too. NULL: it cannot be read. The caller ends *dwfl, which may be NULL, in both cases.
Dwfl_Module *debug_files_open(struct program_files *files, const char *path, bool with_debug, Dwfl **dwfl);

#endif
