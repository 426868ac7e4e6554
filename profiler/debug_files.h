// SPDX-License-Identifier: Apache-2.0
// Where the debug information of a file is, when it is not in the file: by build id and by debug link, on this machine
// only. (elfutils' own search loads a network client as soon as it is asked.)
#ifndef PROFILER_DEBUG_FILES_H
#define PROFILER_DEBUG_FILES_H

#include <elfutils/libdwfl.h>

// As Dwfl_Callbacks.find_debuginfo wants it.
int debug_files_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                     const char *link, GElf_Word crc, char **found);
// The same, for who does not want any.
int debug_files_none(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                     const char *link, GElf_Word crc, char **found);

// As find_elf: every module is reported with its file, so there is nothing to search.
int debug_files_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file, Elf **elf);

#endif
