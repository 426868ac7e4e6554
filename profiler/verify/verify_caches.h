// SPDX-License-Identifier: Apache-2.0
// Emptying the caches of all CPUs: by an instruction where that works, else by reading other memory.
#ifndef PROFILER_VERIFY_VERIFY_CACHES_H
#define PROFILER_VERIFY_VERIFY_CACHES_H

#include <stdbool.h>

#include "collectors/counters/counters.h"
#include "core/topology/topology.h"
#include "profiler/measure/memory/memory_bound.h"
#include "profiler/verify/verify_access.h"

struct verify_caches {
    bool flush_works;
    char *junk; // NULL: flush_works, or nothing is decided yet
    size_t junk_bytes;
};

// Finds out how: lines that were read, and whose caches were emptied, must come from memory again. Some emulators know
// the instruction and ignore it (may_flush: false skips it), and a kernel may tell a cache smaller than it is. -ENOMEM.
// Called on a CPU; moves the calling thread.
int verify_caches_choose(struct verify_caches *caches, const struct counters *counters, const struct topology *t,
                         const struct memory_bound *memory, size_t lines, bool may_flush);
// No line of the memory is in a cache afterwards; the calling thread may be on another CPU.
void verify_caches_empty(const struct verify_caches *caches, const struct topology *t,
                         const struct memory_bound *memory);
void verify_caches_free(struct verify_caches *caches);

#endif
