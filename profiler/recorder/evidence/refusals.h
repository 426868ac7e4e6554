// SPDX-License-Identifier: Apache-2.0
// Why perf_event_open refused: the machine's settings are read once, at the first refusal.
#ifndef PROFILER_RECORDER_EVIDENCE_REFUSALS_H
#define PROFILER_RECORDER_EVIDENCE_REFUSALS_H

#include "collectors/perf/perf_explain.h"
#include "profiler/recorder/run/note.h"

struct refusals {                    // all zero: not read yet
    struct perf_context context;
    bool is_read;
};

const struct perf_reason *refusals_explain(struct refusals *refusals, int error);
struct note_missing refusals_missing(struct refusals *refusals, int error);

#endif
