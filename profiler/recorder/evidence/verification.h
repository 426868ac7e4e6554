// SPDX-License-Identifier: Apache-2.0
// What numaprof verify found out about the counters of this machine: events that are wrong are not used, and the
// recording says of the others whether they were verified.
#ifndef PROFILER_RECORDER_EVIDENCE_VERIFICATION_H
#define PROFILER_RECORDER_EVIDENCE_VERIFICATION_H

#include "collectors/counters/counters.h"
#include "core/topology/topology.h"
#include "profiler/verify/verify.h"

struct verification {
    bool is_known;
    struct verify found;
    struct counters_wrong wrong[VERIFY_EVENTS];
};

// Looks for a verification of this machine as it is now; counters will not use what is wrong.
void verification_open(struct verification *verification, const struct topology *topology, struct counters *counters);

// ", verified on this machine" and the like, of the groups that are used: retired loads, or the others. Returns out.
const char *verification_words(const struct verification *verification, const struct counters *counters, bool retired,
                               char *out, size_t size);
// The same of sampled loads.
const char *verification_words_of_loads(const struct verification *verification, char *out, size_t size);

// The rows of the recording, and a note for each event that is not used.
void verification_write(const struct verification *verification, const struct counters *counters,
                        const struct tasks *tasks);

#endif
