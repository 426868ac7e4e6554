// SPDX-License-Identifier: Apache-2.0
// Compressed files (perf record -z) and folders (perf record --threads). Writes their records one after the other to a
// file without a name, and maps that file.
#ifndef PROFILER_IMPORT_PERF_DATA_PERF_EXPAND_H
#define PROFILER_IMPORT_PERF_DATA_PERF_EXPAND_H

#include "profiler/import/perf_data/perf_file.h"

// Whether some records are compressed. The header of a whole file tells; of a pipe or a cut file, the records do.
bool perf_expand_is_needed(const struct perf_file *file);

// Replaces file->records. folder: adds the records of its files data.0, data.1, ...; NULL: none. -ELIBACC: libzstd is
// missing; -EBADMSG: compressed data are damaged; -EFBIG: they expand to more than a thousand times their size; -ENOSPC
// and other errors of write(2).
int perf_expand(struct perf_file *file, const char *folder);

#endif
