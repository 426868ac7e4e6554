// SPDX-License-Identifier: Apache-2.0
// Runs all patterns on every pair of nodes and compares what was counted with what must be.
#ifndef PROFILER_VERIFY_VERIFY_RUN_H
#define PROFILER_VERIFY_VERIFY_RUN_H

#include <stdatomic.h>

#include "collectors/counters/counters.h"
#include "core/topology/topology.h"
#include "profiler/verify/verify.h"

struct verify_options {
    bool emulated;             // each access takes long, and no instruction empties the caches
    // Called before each step, with what is done and how much of the whole is done. May be NULL.
    void (*progress)(void *to, const char *what, double share);
    void *progress_to;
};

// counters: prepared with all topics, of user mode. 0, also if *stop was set or nothing could be verified: the result
// says which. -ENOMEM. The caller frees the result.
int verify_run(struct verify *verify, const struct topology *t, const struct counters *counters,
               const struct verify_options *options, const atomic_bool *stop);

// Whether this pair may begin a further round after so many seconds of the whole run. Each pair has its share and what
// the pairs before it left. First rounds are always run.
bool verify_run_has_time(double seconds, size_t pair, size_t pairs);

// Adds a note if the runs were interrupted more than once each, on average.
void verify_run_note_taken(struct verify *verify, long taken, long runs);

#endif
