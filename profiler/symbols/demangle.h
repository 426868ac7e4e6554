// SPDX-License-Identifier: Apache-2.0
// C++ (and old Rust) names as people write them. The C++ runtime knows how; it is loaded when the first mangled name comes.
#ifndef PROFILER_SYMBOLS_DEMANGLE_H
#define PROFILER_SYMBOLS_DEMANGLE_H

// The readable name, which the caller frees, or NULL if name is not mangled or cannot be read.
char *demangle(const char *name);

#endif
