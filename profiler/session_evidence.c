// SPDX-License-Identifier: Apache-2.0
// Which evidence the recording rests on, why the better kinds are missing, and what was lost on the way.
#include <errno.h>
#include <string.h>

#include "profiler/session.h"

static void evidence_write(struct session *session, int level, const char *collector, bool used, const char *detail,
                           const char *why_not, const char *remedy)
{
    RECORD(session->queue, RECORDING_EVIDENCE, RECORD_NUMBER(level), RECORD_TEXT(collector), RECORD_NUMBER(used),
           RECORD_TEXT(used ? detail : NULL), RECORD_TEXT(used ? NULL : why_not), RECORD_TEXT(used ? NULL : remedy));
}

static void evidence_faults(struct session *session)
{
    bool used = session->fault_source_count > 0;
    const char *detail = session->faults.exclude_kernel ? "page-faults event, without faults inside system calls"
                                                        : "page-faults event";
    evidence_write(session, 4, "faults", used, detail,
                   session->faults_error == -ECANCELED ? "left out by --without faults" : strerror(-session->faults_error),
                   NULL);
}

static void evidence_pages(struct session *session)
{
    bool used = session->pages.worked;
    const char *why = session->options->no_pages  ? "left out by --without pages"
                      : session->pages.error < 0  ? strerror(-session->pages.error)
                                                  : "the program ended before its pages were looked at";
    evidence_write(session, 5, "pages", used, "move_pages", why, NULL);
}

void session_write_evidence(struct session *session)
{
    evidence_faults(session);
    evidence_pages(session);
}

void session_write_losses(struct session *session)
{
    const struct session_losses *lost = &session->losses;
    if (lost->records + lost->samples > 0)
        session_note(session, "lost", (int64_t)(lost->records + lost->samples), "raise perf_event_mlock_kb",
                     "%llu records were lost: the kernel's buffers were full",
                     (unsigned long long)(lost->records + lost->samples));
    if (lost->throttled > 0)
        session_note(session, "throttled", (int64_t)lost->throttled, NULL,
                     "the kernel throttled sampling %llu times", (unsigned long long)lost->throttled);
    if (lost->unknown_threads > 0)
        session_note(session, "unmatched", (int64_t)lost->unknown_threads, NULL,
                     "%llu samples are of threads whose start was not seen", (unsigned long long)lost->unknown_threads);
    if (session->stacks.refused > 0)
        session_note(session, "stacks", (int64_t)session->stacks.refused, NULL,
                     "%llu samples have no call path: too many different ones", (unsigned long long)session->stacks.refused);
}
