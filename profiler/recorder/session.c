// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/session.h"

#include "core/system/clock.h"

enum { SESSION_SCAN_MS = 250 };

void session_settle(struct session *session, struct process *ending)
{
    faults_settle(&session->faults, ending);
    loads_settle(&session->loads);
}

size_t session_drain_until(struct session *session, uint64_t until)
{
    if (session->stream_count == 0)
        return 0;
    session->faults.drains++;
    session->faults.drained_at = until;
    size_t records = perf_merge_drain(session->streams, session->stream_count, until);
    session_close_ended(session);
    session_close_ended_blocks(session);
    return records;
}

size_t session_drain(struct session *session)
{
    uint64_t until = clock_now();
    size_t messages = session_messages(session); // a thread's start is known before its end, however short it was
    return messages + session_drain_until(session, until);
}

static void session_windows(struct session *session, uint64_t now)
{
    enum control_order order;
    while ((order = control_next(&session->control)) != CONTROL_NOTHING)
        session_switch(session, order == CONTROL_START, "control");
    const struct run_options *options = session->options;
    uint64_t ms = (now - session->epoch) / CLOCK_MS;
    if (options->delay_ms > 0 && !session->delay_is_over && ms >= options->delay_ms) {
        session->delay_is_over = true;
        session_switch(session, true, "delay");
    }
    if (options->duration_ms > 0 && session->counting && ms >= options->delay_ms + options->duration_ms)
        session_switch(session, false, "duration");
}

size_t session_tick(struct session *session, uint64_t now)
{
    size_t records = session_drain(session);
    session_settle(session, NULL);
    for (size_t i = 0; i < session->fault_source_count; i++)
        faults_adapt(&session->fault_sources[i], now);
    if (!session->options->no_pages)
        pages_tick(&session->pages, now, session->faults.balancing);
    session_windows(session, now);
    if (now - session->read_at >= session->interval_ns)
        session_read_counters(session, now);
    if (now - session->scanned_at > SESSION_SCAN_MS * CLOCK_MS)
        session_scan(session, now);
    return records;
}
