// SPDX-License-Identifier: Apache-2.0
// Names of code that a just-in-time compiler makes, as it may tell them in /tmp/perf-PID.map (a convention of perf's:
// tools/perf/Documentation/jit-interface.txt): lines of start, size (both hexadecimal) and name. The target writes it.
#ifndef PROFILER_PERF_MAP_H
#define PROFILER_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PERF_MAP_BYTES = 64 << 20 };    // longer ones are read as far as this

struct perf_map_entry {
    uint64_t start, end;
    uint64_t reach;                    // the largest end of this and all before it
    const char *name;                  // in the text
};

struct perf_map {
    char *text;
    struct perf_map_entry *entries;    // by start
    size_t count;
    uint64_t malformed;                // lines that are no entry
};

// Reads the file of a process, from inside its own view of the file system if that is still there. uid: who must own it,
// besides root; since: what was not written after this is of an earlier process with the same number. -ENOENT: there is none;
// -EPERM: somebody else's, too old, or no file.
int perf_map_read(struct perf_map *map, pid_t pid, uid_t uid, time_t since);
// The same of a text of so many bytes, which is changed and must live as long as the map; text[bytes] is written.
int perf_map_parse(struct perf_map *map, char *text, size_t bytes);

// The name of the code at an address, and where it begins. NULL: there is none, or code was put there more than once and
// nobody knows which of it ran.
const struct perf_map_entry *perf_map_find(const struct perf_map *map, uint64_t address);

void perf_map_free(struct perf_map *map);

#endif
