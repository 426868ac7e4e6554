// SPDX-License-Identifier: Apache-2.0
// Names of code from a just-in-time compiler, from /tmp/perf-PID.map, which the target writes (a convention of perf:
// tools/perf/Documentation/jit-interface.txt). Lines of start, size (both hexadecimal) and name.
#ifndef PROFILER_SYMBOLS_JIT_SYMBOLS_H
#define PROFILER_SYMBOLS_JIT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { JIT_SYMBOLS_BYTES = 64 << 20 };    // the rest of a longer file is not read

struct jit_symbols_entry {
    uint64_t start, end;
    uint64_t reach;                    // the largest end of this entry and all entries before it
    const char *name;                  // in the text
};

struct jit_symbols {
    char *text;
    struct jit_symbols_entry *entries;    // by start
    size_t count;
    uint64_t malformed;                // lines that are no entry
};

// Reads the file of a process, from its own view of the file system if the process still runs. uid: the required owner,
// unless it is root; since: a file that was last written before is of an earlier process with the same pid. -ENOENT:
// there is none; -EPERM: another owner, too old, or no regular file.
int jit_symbols_read(struct jit_symbols *map, pid_t pid, uid_t uid, time_t since);
// Parses a text of that many bytes, which must live as long as the map. Changes the text, and writes text[bytes].
int jit_symbols_parse(struct jit_symbols *map, char *text, size_t bytes);

// The entry of the code at an address. NULL: there is none, or more than one was there during the run.
const struct jit_symbols_entry *jit_symbols_find(const struct jit_symbols *map, uint64_t address);

void jit_symbols_free(struct jit_symbols *map);

#endif
