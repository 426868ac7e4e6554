// SPDX-License-Identifier: Apache-2.0
// The last verification of this machine, cached in the user's cache folder (machine_cache.h), for the same CPU model,
// microcode, kernel, firmware and nodes. Only the words of the events are stored, not the counts.
#ifndef PROFILER_VERIFY_RESULT_VERIFY_STORE_H
#define PROFILER_VERIFY_RESULT_VERIFY_STORE_H

#include "core/topology/topology.h"
#include "profiler/verify/verify.h"

// Replaces the stored verification. path gets the file's name, also on failure if it is known. -errno; -ENOENT: no
// home.
int verify_store_save(const struct verify *verify, const struct topology *t, char *path, size_t size);

// Sets at, local, partial and the events. -ENOENT: nothing is stored for this machine as it is now; -EINVAL: the file
// is not one of ours, or damaged.
int verify_store_load(struct verify *verify, const struct topology *t, char *path, size_t size);

#endif
