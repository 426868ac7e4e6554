// SPDX-License-Identifier: Apache-2.0
// Turns the plan into rows to verify, and counts into words.
#ifndef PROFILER_VERIFY_VERIFY_JUDGE_H
#define PROFILER_VERIFY_VERIFY_JUDGE_H

#include "collectors/counters/counters.h"
#include "core/system/host.h"
#include "core/topology/topology.h"
#include "profiler/verify/verify.h"
#include "profiler/verify/verify_expect.h"

// Sets the usable nodes of this machine and the events of the plan; bases gets the index of each group's first event.
// Nodes that are left out become notes; a refused event gets its reason. -ENOMEM.
int verify_judge_begin(struct verify *verify, const struct topology *t, const struct counters *counters,
                       size_t bases[COUNTERS_GROUPS]);

// Notes what surrounds the machine and changes what its nodes mean.
void verify_judge_host(struct verify *verify, const struct host *host);

// Takes the sampled loads of one pair. sources: their number by enum load_source.
void verify_judge_samples(struct verify *verify, const struct topology *t, size_t from, size_t to,
                          const uint64_t *sources);

// Compares the counts of one pair with what is expected. True: some cells are open.
bool verify_judge_pair(struct verify *verify, const struct topology *t, const struct counters *counters, size_t from,
                       size_t to);

// Sets the word of every event, and what local means on this machine.
void verify_judge_all(struct verify *verify, const struct topology *t, const struct counters *counters);

#endif
