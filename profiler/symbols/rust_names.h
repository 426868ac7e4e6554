// SPDX-License-Identifier: Apache-2.0
// Names of Rust functions as people read them: paths without generic arguments, crate hashes and escapes.
#ifndef PROFILER_SYMBOLS_RUST_NAMES_H
#define PROFILER_SYMBOLS_RUST_NAMES_H

#include <stdbool.h>

// A name of the scheme v0 ("_R..."). The caller frees it; NULL: it is not one, or has parts that are not understood.
char *rust_names_read(const char *mangled);

// Of a name of the older scheme, which the C++ demangler read, in place: removes hash and escapes. Others stay.
void rust_names_unescape(char *name);

#endif
