// SPDX-License-Identifier: Apache-2.0
// The last measurement of this machine, cached in the user's cache folder: $XDG_CACHE_HOME/numaprof, else
// ~/.cache/numaprof, in a file measured-KEY. Lines of text, written and read by this file only; recordings carry it on.
#ifndef PROFILER_MEASURE_RESULT_RESULT_STORE_H
#define PROFILER_MEASURE_RESULT_RESULT_STORE_H

#include <stddef.h>

#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"

// Replaces what is there. path gets the file's name, also on failure where it is known. -errno; -ENOENT: no home
// folder.
int result_store_save(const struct result *result, const struct topology *t, char *path, size_t size);

// -ENOENT: nothing is stored for this machine; -EINVAL: the file is not one of ours, or damaged. The caller frees
// result.
int result_store_load(struct result *result, const struct topology *t, char *path, size_t size);
// The same from a file that may be another machine's: -ESRCH: its nodes are not those of the topology.
int result_store_load_file(struct result *result, const struct topology *t, const char *path);

#endif
