// SPDX-License-Identifier: Apache-2.0
// Names of code that a just-in-time compiler makes, as it may tell them in /tmp/perf-PID.map (a convention of perf's:
// tools/perf/Documentation/jit-interface.txt): lines of start, size (both hexadecimal) and name. The target writes it.
#ifndef PROFILER_SYMBOLS_JIT_SYMBOLS_H
#define PROFILER_SYMBOLS_JIT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { JIT_SYMBOLS_BYTES = 64 << 20 };    // longer ones are read as far as this

struct jit_symbols_entry {
    uint64_t start, end;
    uint64_t reach;                    // the largest end of this and all before it
    const char *name;                  // in the text
};

struct jit_symbols {
    char *text;
    struct jit_symbols_entry *entries;    // by start
    size_t count;
    uint64_t malformed;                // lines that are no entry
};

// Reads the file of a process, from inside its own view of the file system if that is still there. uid: who must own it,
// besides root; since: what was not written after this is of an earlier process with the same number. -ENOENT: there is none;
// -EPERM: somebody else's, too old, or no file.
int jit_symbols_read(struct jit_symbols *map, pid_t pid, uid_t uid, time_t since);
// The same of a text of so many bytes, which is changed and must live as long as the map; text[bytes] is written.
int jit_symbols_parse(struct jit_symbols *map, char *text, size_t bytes);

// The name of the code at an address, and where it begins. NULL: there is none, or code was put there more than once and
// nobody knows which of it ran.
const struct jit_symbols_entry *jit_symbols_find(const struct jit_symbols *map, uint64_t address);

void jit_symbols_free(struct jit_symbols *map);

#endif
