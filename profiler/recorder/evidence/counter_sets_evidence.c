// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/counter_sets_evidence.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char counter_sets_evidence_one_node[] = "this machine has one node: no access can be remote";

static bool counter_sets_evidence_is_assumed(const struct counters *counters, bool retired)
{
    for (int i = 0; i < counters->group_count; i++)
        if (i != counters->loads_group && counters->groups[i].error == 0 &&
            event_catalogue_is_retired(counters->groups[i].events[0].source) == retired &&
            strcmp(event_catalogue_confidence(counters->groups[i].events[0].source), "assumed") == 0)
            return true;
    return false;
}

static const char *counter_sets_evidence_detail(const struct counter_sets *sets, char *out, size_t size, bool retired)
{
    const char *kind = retired                                     ? "retired loads"
                       : sets->counters.cpu->offcore_registers > 0 ? "offcore-response"
                                                                      : "fills by source";
    char verified[128];
    const bool is_assumed = !sets->verification.is_known && counter_sets_evidence_is_assumed(&sets->counters, retired);
    const char *by_cpu = sets->counts_cgroup ? ", of the control group by CPU" : sets->counts_cpus ? ", per CPU" : "";
    snprintf(out, size, "%s%s%s%s%s", kind, by_cpu,
             sets->counters.exclude_kernel ? "" : ", with the kernel",
             sets->counters.mixed_cpus ? ", on CPUs of the first CPU's model only" : "",
             is_assumed ? ", assumed for this CPU model: confirm with numaprof verify"
                        : verification_words(&sets->verification, &sets->counters, retired, verified, sizeof verified));
    return out;
}

// Why the catalogue has no event of this level; NULL: it has one, or none was requested.
static const char *counter_sets_evidence_no_event(const struct counter_sets *sets, bool retired)
{
    const struct counters *counters = &sets->counters;
    if (counters->cpu && event_catalogue_is_fallback(counters->cpu) && sets->topology->node_count == 1)
        return counter_sets_evidence_one_node;
    for (int i = 0; i < counters->plan.answer_count; i++) {
        const struct event_plan_answer *answer = &counters->plan.answers[i];
        if ((strcmp(answer->topic, "retired") == 0) == retired && !answer->class)
            return answer->why;
    }
    return NULL;
}

static struct note_missing counter_sets_evidence_missing(struct counter_sets *sets, int error)
{
    if (error == -ECANCELED)
        return (struct note_missing){.why = "left out by --without counters"};
    if (error == -EALREADY)
        return (struct note_missing){.why = "not needed, because requests are counted by class",
                                        .remedy = "--events demand_rd,retired"};
    if (error == -ENODATA && sets->topology->node_count == 1)
        return (struct note_missing){.why = counter_sets_evidence_one_node};
    if (error == -ENODATA)
        return (struct note_missing){.why = "this CPU model is not in the event catalogue",
                                        .remedy = "see docs/dev/adding-a-cpu.md"};
    if (error == 0 && sets->usable)
        return (struct note_missing){.why = "not asked for", .remedy = "--events"};
    return refusals_missing(sets->refusals, error);
}

static void counter_sets_evidence_write_level(struct counter_sets *sets, int level, bool retired)
{
    const struct counters *counters = &sets->counters;
    int usable = 0, planned = 0, error = counters->error;
    for (int i = 0; i < counters->group_count; i++) {
        if (i == counters->loads_group || event_catalogue_is_retired(counters->groups[i].events[0].source) != retired)
            continue;
        planned++;
        usable += counters->groups[i].error == 0;
        error = counters->groups[i].error;
    }
    char detail[256] = "";
    if (usable > 0)
        counter_sets_evidence_detail(sets, detail, sizeof detail, retired);
    struct note_missing missing = {0};
    if (usable == 0)
        missing = counter_sets_evidence_missing(sets, error);
    const char *no_event = counter_sets_evidence_no_event(sets, retired);
    if (planned == 0 && counters->error == 0 && no_event)
        missing = (struct note_missing){.why = no_event};
    note_evidence(sets->tasks, level, "counters", usable > 0, detail, missing);
}

static void counter_sets_evidence_write_loads(struct counter_sets *sets)
{
    const struct counters *counters = &sets->counters;
    bool used = counters->loads_group >= 0 && counters->loads_error == 0;
    char method[128] = "", verified[128];
    if (used)
        snprintf(method, sizeof method, "%s%s", counters->loads_method,
                 verification_words_of_loads(&sets->verification, verified, sizeof verified));
    int error = counters->error == -ECANCELED ? -ECANCELED : counters->loads_error;
    struct note_missing missing = counter_sets_evidence_missing(sets, error);
    if (error == -ENOTSUP && counters->cpu && strcmp(counters->cpu->sampling.method, "spe") == 0)
        missing = (struct note_missing){.why = "this version does not read the raw packets of Arm SPE"};
    note_evidence(sets->tasks, 3, "samples", used, method, missing);
}

void counter_sets_evidence_write(struct counter_sets *sets)
{
    counter_sets_evidence_write_level(sets, 1, false);
    counter_sets_evidence_write_level(sets, 2, true);
    counter_sets_evidence_write_loads(sets);
    verification_write(&sets->verification, &sets->counters, sets->tasks);
}

static void counter_sets_evidence_note_refused(struct counter_sets *sets)
{
    uint64_t refused = atomic_load(&sets->counters.refused);
    if (refused == 0)
        return;
    struct note_missing reason = refusals_missing(sets->refusals, atomic_load(&sets->counters.refused_error));
    note_write(sets->tasks, "refused", (int64_t)refused, reason.remedy, "%llu %s not counted: %s",
               (unsigned long long)refused, refused == 1 ? "thread was" : "threads were", reason.why);
}

static void counter_sets_evidence_note_reduced(struct counter_sets *sets)
{
    const struct counters *counters = &sets->counters;
    const uint64_t reduced = atomic_load(&counters->reduced);
    const int first = counters_first_group(counters);
    if (reduced == 0 || first < 0)
        return;
    const struct event_entry *source = counters->groups[first].events[0].source;
    struct note_missing reason = refusals_missing(sets->refusals, -EMFILE);
    note_write(sets->tasks, "refused", (int64_t)reduced, reason.remedy, "%llu %s counted for %s only: %s",
               (unsigned long long)reduced,
               sets->counts_cpus ? "CPUs were" : reduced == 1 ? "thread was" : "threads were",
               source ? source->class : "sampled loads", reason.why);
}

// Of the events that give the share: retired loads do where no other event is open.
static const char *counter_sets_evidence_doubt(const struct counters *counters)
{
    for (int i = 0; i < counters->group_count; i++)
        if (i != counters->loads_group && counters->groups[i].error == 0 &&
            !event_catalogue_is_retired(counters->groups[i].events[0].source))
            return counters->plan.clusters_doubt;
    return counters->plan.clusters_doubt_of_retired;
}

// What numaprof verify found stands above what the catalogue says, or does not know.
static void counter_sets_evidence_note_clusters(struct counter_sets *sets)
{
    const struct counters *counters = &sets->counters;
    const struct verification *verification = &sets->verification;
    const char *doubt = counter_sets_evidence_doubt(counters);
    if (!sets->usable || counters->plan.group_count == 0)
        return;
    if (verification->is_known && *verification->found.local) {
        if (!verify_local_is_the_node(&verification->found))
            note_write(sets->tasks, "clusters", 1, "compare with the nodes of pages",
                       "in these counts local is, as numaprof verify found: %s", verification->found.local);
    } else if (doubt) {
        note_write(sets->tasks, "clusters", 1, "compare with sampled loads and the nodes of pages; numaprof verify",
                   "sockets have several nodes here: %s", doubt);
    }
}

void counter_sets_evidence_note(struct counter_sets *sets)
{
    uint64_t contradicted = sets->loads.contradicted;
    if (contradicted > 0)
        note_write(sets->tasks, "contradicted", (int64_t)contradicted, NULL,
                   "%llu of %llu sampled loads %s local or remote otherwise than the node of %s page",
                   (unsigned long long)contradicted, (unsigned long long)sets->loads.checked,
                   contradicted == 1 ? "says" : "say", contradicted == 1 ? "its" : "their");
    counter_sets_evidence_note_clusters(sets);
    counter_sets_evidence_note_refused(sets);
    counter_sets_evidence_note_reduced(sets);
}
