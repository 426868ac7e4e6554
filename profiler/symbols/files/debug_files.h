// SPDX-License-Identifier: Apache-2.0
// Opens files for elfutils, and finds separate debug information by build id and by debug link, on this machine only.
// (The search of elfutils loads a network client.)
#ifndef PROFILER_SYMBOLS_FILES_DEBUG_FILES_H
#define PROFILER_SYMBOLS_FILES_DEBUG_FILES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "profiler/symbols/files/program_files.h"

// For callers that report modules with their files and use only the debug information in these files.
extern const Dwfl_Callbacks debug_files_bare;

// Opens the file that the target ran under this path, as the only module of *dwfl. with_debug: also searches for
// separate debug information. NULL: it cannot be read. The caller ends *dwfl, which may be NULL, in both cases.
Dwfl_Module *debug_files_open(struct program_files *files, const char *path, bool with_debug, Dwfl **dwfl);

// Debug information of a file, NULL: it has none. Within large_stack_run only: where memory runs out, the work ends,
// where libdw itself would end the program.
Dwarf *debug_files_dwarf(Dwfl_Module *module, Dwarf_Addr *bias);

#endif
