// SPDX-License-Identifier: Apache-2.0
// What the recording says about the counters: which evidence levels they give, and what qualifies their numbers.
#ifndef PROFILER_RECORDER_EVIDENCE_COUNTER_SETS_EVIDENCE_H
#define PROFILER_RECORDER_EVIDENCE_COUNTER_SETS_EVIDENCE_H

#include "profiler/recorder/evidence/counter_sets.h"

// Writes the evidence rows of counters and sampled loads. After the counters were opened.
void counter_sets_evidence_write(struct counter_sets *sets);

// Notes threads that were not counted, and contradictions among sampled loads. After the last reading.
void counter_sets_evidence_note(struct counter_sets *sets);

#endif
