// SPDX-License-Identifier: Apache-2.0
// Demangles names of Rust, and of C++ with the C++ runtime library, which is loaded for the first mangled name.
#ifndef PROFILER_SYMBOLS_DEMANGLE_H
#define PROFILER_SYMBOLS_DEMANGLE_H

// The readable name, which the caller frees, or NULL if name is not mangled or cannot be read.
char *demangle(const char *name);

#endif
