// SPDX-License-Identifier: Apache-2.0
// The variables of programs and libraries, from their symbol tables (in the file, or in its separate debug file).
#ifndef PROFILER_SYMBOLS_VARIABLES_H
#define PROFILER_SYMBOLS_VARIABLES_H

#include "collectors/heap/objects.h"
#include "profiler/symbols/files/program_files.h"

struct variables;

// NULL: out of memory.
struct variables *variables_open(struct program_files *files);
void variables_close(struct variables *variables);

// As objects_find_variable; context is a struct variables. Each file is read once.
bool variables_find(void *context, const struct mapping *mapping, uint64_t address, struct objects_variable *variable);

// Calls take for each thread-local variable of the file; its start is the offset in the module's TLS block.
typedef void variables_take_local(void *owner, const struct objects_variable *variable);
void variables_each_local(struct variables *variables, const char *path, variables_take_local *take, void *owner);

#endif
