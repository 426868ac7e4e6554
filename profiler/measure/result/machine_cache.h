// SPDX-License-Identifier: Apache-2.0
// Results about this machine: one file of each kind in the user's cache folder, $XDG_CACHE_HOME/numaprof,
// else ~/.cache/numaprof. A file's name ends with a key of the machine's identity. It holds lines of text: the kind's
// first line, "machine IDENTITY", lines of the kind's own, and "end": a file without that was cut off.
#ifndef PROFILER_MEASURE_RESULT_MACHINE_CACHE_H
#define PROFILER_MEASURE_RESULT_MACHINE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/topology/topology.h"

struct machine_cache_kind {
    const char *name, *first;        // how the file's name begins; its first line
    bool of_software;                // another kernel or microcode makes it another machine
};

// Replaces the file, whole or not at all; makes its folders. write_lines puts out the kind's own lines. path gets the
// file's name, also on failure where it is known. -errno; -ENOENT: no home folder.
int machine_cache_save(const struct machine_cache_kind *kind, const struct topology *t, char *path, size_t size,
                       void (*write_lines)(FILE *out, const void *what), const void *what);

// Tells the user on stderr how the saving of what ("the measurement") went.
void machine_cache_tell(int status, const char *path, const char *what);

struct machine_cache_reader {
    char *text, *rest;
};

// Opens the file of this machine, behind its line "machine". -ENOENT: there is none for the machine as it is now;
// -EINVAL: it is of another kind. machine_cache_close in all cases.
int machine_cache_open(struct machine_cache_reader *reader, const struct machine_cache_kind *kind,
                       const struct topology *t, char *path, size_t size);
// The same for a file that may be another machine's.
int machine_cache_open_file(struct machine_cache_reader *reader, const struct machine_cache_kind *kind,
                            const char *path);
void machine_cache_close(struct machine_cache_reader *reader);

// The next line; NULL behind the last one.
char *machine_cache_line(struct machine_cache_reader *reader);
// Calls each for the lines that are left, until "end" (-EINVAL: it is missing) or the first error, which it returns.
int machine_cache_each(struct machine_cache_reader *reader, int (*each)(void *to, const char *line), void *to);
// The rest of a line after its first word and a blank; NULL: there is no line, or its first word is another one.
const char *machine_cache_after(const char *line, const char *word);

#endif
