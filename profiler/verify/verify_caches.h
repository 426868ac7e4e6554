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
    char *junk; // memory to read instead; NULL: flush_works, or verify_caches_choose was not called
    size_t junk_bytes;
};

// Chooses how to empty the caches: after that, lines that were read must come from memory again. Some emulators accept
// the instruction and ignore it (may_flush: false skips it), and a kernel may report a cache smaller than it is.
// -ENOMEM. Moves the calling thread to other CPUs.
int verify_caches_choose(struct verify_caches *caches, const struct counters *counters, const struct topology *t,
                         const struct memory_bound *memory, size_t lines, bool may_flush);
// Removes all lines of the memory from the caches. May move the calling thread to another CPU.
void verify_caches_empty(const struct verify_caches *caches, const struct topology *t,
                         const struct memory_bound *memory);
void verify_caches_free(struct verify_caches *caches);

#endif
