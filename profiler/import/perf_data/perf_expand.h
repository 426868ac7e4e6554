// SPDX-License-Identifier: Apache-2.0
// Compressed files (perf record -z) and folders (perf record --threads). Writes their records one after the other to a
// file without a name, and maps that file.
#ifndef PROFILER_IMPORT_PERF_DATA_PERF_EXPAND_H
#define PROFILER_IMPORT_PERF_DATA_PERF_EXPAND_H

#include "profiler/import/perf_data/perf_file.h"

// Replaces file->records where some are compressed, or where path is a folder, whose files data.0, data.1, ... it adds.
// path: as it was opened. -ELIBACC: libzstd is missing; -EBADMSG: compressed data are damaged; -EOVERFLOW: they expand
// to more than a thousand times their size; -ENOSPC and other errors of write(2).
int perf_expand(struct perf_file *file, const char *path);

#endif
