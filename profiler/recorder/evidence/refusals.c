// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/refusals.h"

const struct perf_reason *refusals_explain(struct refusals *refusals, int error)
{
    if (!refusals->is_read)
        perf_context_read(&refusals->context, "");
    refusals->is_read = true;
    return perf_explain(error, &refusals->context);
}

struct note_missing refusals_missing(struct refusals *refusals, int error)
{
    const struct perf_reason *reason = refusals_explain(refusals, error);
    return (struct note_missing){.why = reason->cause, .remedy = reason->remedy};
}
