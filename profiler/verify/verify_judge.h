// SPDX-License-Identifier: Apache-2.0
// From the plan to rows that will be verified, and from counts to words.
#ifndef PROFILER_VERIFY_VERIFY_JUDGE_H
#define PROFILER_VERIFY_VERIFY_JUDGE_H

#include "collectors/counters/counters.h"
#include "core/topology/topology.h"
#include "profiler/verify/verify.h"
#include "profiler/verify/verify_expect.h"

// The nodes of this machine that can be used, and the events of the plan; bases gets the index of each group's first
// event. What is left out of either becomes a note or the event's reason. -ENOMEM.
int verify_judge_begin(struct verify *verify, const struct topology *t, const struct counters *counters,
                       size_t bases[COUNTERS_GROUPS]);

// Sampled loads of one pair, by enum load_source.
void verify_judge_samples(struct verify *verify, const struct topology *t, size_t from, size_t to,
                          const uint64_t *sources);

// Compares what was counted on one pair. True: some cells are open.
bool verify_judge_pair(struct verify *verify, const struct topology *t, const struct counters *counters, size_t from,
                       size_t to);

// Every word, and what local turned out to mean.
void verify_judge_all(struct verify *verify, const struct topology *t, const struct counters *counters);

#endif
