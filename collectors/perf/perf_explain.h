// SPDX-License-Identifier: Apache-2.0
// Why the kernel refuses a perf event, and what changes that: the one place that knows what the errors of
// perf_event_open(2), and of mapping its ring, mean. Which of an error's causes it is, the context decides.
#ifndef COLLECTORS_PERF_PERF_EXPLAIN_H
#define COLLECTORS_PERF_PERF_EXPLAIN_H

#include "collectors/perf/perf_context.h"

struct perf_reason {
    const char *cause;
    const char *remedy;         // the command or setting that changes it; NULL: there is none
};

// error is an errno value or its negative; never NULL.
const struct perf_reason *perf_explain(int error, const struct perf_context *context);
// The same for mapping the ring of an event that could be opened.
const struct perf_reason *perf_explain_map(int error, const struct perf_context *context);

#endif
