// SPDX-License-Identifier: Apache-2.0
// Which evidence the recording rests on, why the better kinds are missing, and what was lost on the way.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/text/diag.h"
#include "profiler/recorder/session.h"

struct evidence_reason {
    const char *why, *remedy;
};

static void evidence_write(struct session *session, int level, const char *collector, bool used, const char *detail,
                           struct evidence_reason missing)
{
    RECORD(session->queue, RECORDING_EVIDENCE, RECORD_NUMBER(level), RECORD_TEXT(collector), RECORD_NUMBER(used),
           RECORD_TEXT(used ? detail : NULL), RECORD_TEXT(used ? NULL : missing.why),
           RECORD_TEXT(used ? NULL : missing.remedy));
}

const struct perf_reason *session_explain(struct session *session, int error)
{
    if (!session->knows_perf)
        perf_context_read(&session->perf, "");
    session->knows_perf = true;
    return perf_explain(error, &session->perf);
}

static struct evidence_reason evidence_refused(struct session *session, int error)
{
    const struct perf_reason *reason = session_explain(session, error);
    return (struct evidence_reason){.why = reason->cause, .remedy = reason->remedy};
}

// --- counters

static const char evidence_one_node[] = "this machine has one node: no access can be remote";

static bool evidence_is_retired(const struct counters_group *group)
{
    return strcmp(group->events[0].source->class, "retired_load") == 0;
}

static bool evidence_is_assumed(const struct counters *counters, bool retired)
{
    for (int i = 0; i < counters->group_count; i++)
        if (i != counters->loads_group && counters->groups[i].error == 0 &&
            evidence_is_retired(&counters->groups[i]) == retired &&
            strcmp(event_catalogue_confidence(counters->groups[i].events[0].source), "assumed") == 0)
            return true;
    return false;
}

static const char *evidence_detail(const struct session *session, char *out, size_t size, bool retired)
{
    const char *kind = retired                                     ? "retired loads"
                       : session->counters.cpu->offcore_registers > 0 ? "offcore-response"
                                                                      : "fills by source";
    snprintf(out, size, "%s%s%s%s", kind, session->counts_cpus ? ", per CPU" : "",
             session->counters.exclude_kernel ? "" : ", with the kernel",
             evidence_is_assumed(&session->counters, retired) ? ", assumed for this CPU model: confirm with numaprof verify" : "");
    return out;
}

// The catalogue's reason why no event of this level is known; NULL: there is one, or none was asked for.
static const char *evidence_no_event(const struct session *session, bool retired)
{
    const struct counters *counters = &session->counters;
    if (counters->cpu && event_catalogue_is_fallback(counters->cpu) && session->topology.node_count == 1)
        return evidence_one_node;
    for (int i = 0; i < counters->plan.answer_count; i++) {
        const struct event_plan_answer *answer = &counters->plan.answers[i];
        if ((strcmp(answer->topic, "retired") == 0) == retired && !answer->class)
            return answer->why;
    }
    return NULL;
}

static struct evidence_reason evidence_no_counters(struct session *session, int error)
{
    if (error == -ECANCELED)
        return (struct evidence_reason){.why = "left out by --without counters"};
    // On one node no event is worth the search for a catalogue.
    if (error == -ENODATA && session->topology.node_count == 1)
        return (struct evidence_reason){.why = evidence_one_node};
    if (error == -ENODATA)
        return (struct evidence_reason){.why = "this CPU model is not in the event catalogue",
                                        .remedy = "see docs/adding-a-cpu.md"};
    if (error == 0 && session->counters_on)
        return (struct evidence_reason){.why = "not asked for", .remedy = "--events"};
    return evidence_refused(session, error);
}

static void evidence_counters(struct session *session, int level, bool retired)
{
    const struct counters *counters = &session->counters;
    int usable = 0, planned = 0, error = counters->error;
    for (int i = 0; i < counters->group_count; i++) {
        if (i == counters->loads_group || evidence_is_retired(&counters->groups[i]) != retired)
            continue;
        planned++;
        usable += counters->groups[i].error == 0;
        error = counters->groups[i].error;
    }
    char detail[160] = "";
    if (usable > 0)
        evidence_detail(session, detail, sizeof detail, retired);
    struct evidence_reason missing = {0};
    if (usable == 0)
        missing = evidence_no_counters(session, error);
    const char *no_event = evidence_no_event(session, retired);
    if (planned == 0 && counters->error == 0 && no_event)
        missing = (struct evidence_reason){.why = no_event};
    evidence_write(session, level, "counters", usable > 0, detail, missing);
}

static void evidence_loads(struct session *session)
{
    const struct counters *counters = &session->counters;
    bool used = counters->loads_group >= 0 && counters->loads_error == 0;
    const char *method = used ? counters->loads_method : NULL;
    int error = counters->error == -ECANCELED ? -ECANCELED : counters->loads_error;
    struct evidence_reason missing = evidence_no_counters(session, error);
    if (error == -ENOTSUP && counters->cpu && strcmp(counters->cpu->sampling.method, "spe") == 0)
        missing = (struct evidence_reason){.why = "Arm SPE hands over raw packets, which this version does not read"};
    evidence_write(session, 3, "samples", used, method, missing);
}

// --- faults, pages

static void evidence_faults(struct session *session)
{
    bool used = session->fault_source_count > 0;
    const char *detail =
        session->faults.exclude_kernel ? "page faults, without those inside system calls" : "page faults";
    struct evidence_reason missing = {.why = "left out by --without faults"};
    if (!used && session->faults_error != -ECANCELED)
        missing = evidence_refused(session, session->faults_error);
    evidence_write(session, 4, "faults", used, detail, missing);
}

static void evidence_pages(struct session *session)
{
    struct evidence_reason missing = {.why = session->options->no_pages ? "left out by --without pages"
                                             : session->pages.error < 0
                                                 ? strerror(-session->pages.error)
                                                 : "the program ended before its pages were looked at"};
    if (session->pages.error == -ENOENT)
        missing = (struct evidence_reason){.why = "there is no /proc", .remedy = "mount -t proc proc /proc"};
    evidence_write(session, 5, "pages", session->pages.worked,
                   session->pages.only_counts ? "numa_maps: how many pages, not which" : "move_pages", missing);
}

// What every advice rests on, and is not there: said before the run, which may be long.
void session_warn(struct session *session)
{
    if (session->options->quiet || session->repeat > 1)
        return;
    if (access("/proc/self/stat", F_OK) < 0)
        diag_warn("mount -t proc proc /proc", "there is no /proc: homes of pages and names of programs are not recorded");
    if (session->faults_error < 0 && session->faults_error != -ECANCELED) {
        struct evidence_reason reason = evidence_refused(session, session->faults_error);
        diag_warn(reason.remedy, "page faults are not recorded, so no line will be named: %s", reason.why);
    }
    if (session->has_channel && !*session->preload_path)
        diag_warn("install numaprof with all its files", "threads are not pinned and not counted one by one: "
                                                         "libnumaprof-preload.so is not beside the program");
}

void session_write_evidence(struct session *session)
{
    evidence_counters(session, 1, false);
    evidence_counters(session, 2, true);
    evidence_loads(session);
    evidence_faults(session);
    evidence_pages(session);
}

// --- losses

// one, several: what was lost, for a count of 1 and for others.
static void losses_note(struct session *session, const char *kind, uint64_t count, const char *remedy, const char *one,
                        const char *several)
{
    if (count > 0)
        session_note(session, kind, (int64_t)count, remedy, "%llu %s", (unsigned long long)count,
                     count == 1 ? one : several);
}

static void losses_refused(struct session *session)
{
    uint64_t refused = atomic_load(&session->counters.refused);
    if (refused == 0)
        return;
    struct evidence_reason reason = evidence_refused(session, atomic_load(&session->counters.refused_error));
    session_note(session, "refused", (int64_t)refused, reason.remedy, "%llu %s not counted: %s",
                 (unsigned long long)refused, refused == 1 ? "thread was" : "threads were", reason.why);
}

static void losses_faults(struct session *session)
{
    uint64_t counted = 0;
    for (size_t i = 0; i < session->fault_source_count; i++)
        if (faults_count(&session->fault_sources[i]) == 0)
            counted += session->fault_sources[i].counted;
    if (counted > 0)
        session_note(session, "faults", (int64_t)counted, NULL, "%llu page faults were counted, samples stand for %llu",
                     (unsigned long long)counted, (unsigned long long)session->faults.sampled_weight);
}

void session_write_losses(struct session *session)
{
    const struct session_losses *lost = &session->losses;
    losses_note(session, "lost", lost->records + lost->samples, "raise kernel.perf_event_mlock_kb",
                "record was lost: the kernel's buffers were full", "records were lost: the kernel's buffers were full");
    losses_note(session, "throttled", lost->throttled, "raise kernel.perf_event_max_sample_rate",
                "time the kernel throttled sampling", "times the kernel throttled sampling");
    losses_note(session, "unmatched", lost->unknown_threads, NULL, "sample is of a thread whose start was not seen",
                "samples are of threads whose start was not seen");
    losses_note(session, "unmatched", session->has_channel ? channel_server_missed(&session->channel) : 0, NULL,
                "message of a thread found no room: it may be missing, or unpinned",
                "messages of threads found no room: some threads may be missing, or unpinned");
    losses_note(session, "blocks", lost->blocks, NULL, "large block came faster than it could be noted: it has no name",
                "large blocks came faster than they could be noted: they have no name");
    losses_note(session, "stacks", session->stacks.refused, NULL, "sample has no call path: too many different ones",
                "samples have no call path: too many different ones");
    if (session->loads.contradicted > 0)
        session_note(session, "contradicted", (int64_t)session->loads.contradicted, NULL,
                     "%llu of %llu sampled loads %s local or remote otherwise than the node of %s page",
                     (unsigned long long)session->loads.contradicted, (unsigned long long)session->loads.checked,
                     session->loads.contradicted == 1 ? "says" : "say",
                     session->loads.contradicted == 1 ? "its" : "their");
    losses_refused(session);
    losses_faults(session);
}
