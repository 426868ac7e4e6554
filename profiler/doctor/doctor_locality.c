// SPDX-License-Identifier: Apache-2.0
// Events that tell local from remote memory: those that the event catalogue has for this CPU, opened as a run would.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collectors/events/event_encode.h"
#include "collectors/events/event_plan.h"
#include "event_words.h"
#include "profiler/doctor/doctor.h"

// Classes that could be opened and that could not: "demand_rd, pf_any".
struct doctor_locality_tally {
    char opened[128], refused[128];
    bool assumed; // of an opened one
    bool local;   // some class counts local memory as well
};

// Adds a class to a list, once; several groups may count the same.
static void doctor_locality_count(char *list, size_t size, const char *class)
{
    size_t length = strlen(class);
    for (const char *word = list; *word; word += strspn(word, ", ")) {
        size_t n = strcspn(word, ",");
        if (n == length && strncmp(word, class, n) == 0)
            return;
        word += n;
    }
    snprintf(list + strlen(list), size - strlen(list), "%s%s", list[0] ? ", " : "", class);
}

// 0, or -errno and the finding says why. Whatever was opened is closed again.
static int doctor_locality_try(const struct doctor *d, struct doctor_finding *f, const struct event_plan_group *group)
{
    // Events of a whole node belong to no thread, and their PMU takes no privilege levels.
    bool node_wide = d->uarch->node_wide;
    int fds[EVENT_PLAN_GROUP_EVENTS], opened = 0, status = 0;
    for (; opened < group->count && status == 0; opened += status == 0) {
        struct perf_event_attr attr = {.exclude_kernel = !node_wide, .exclude_hv = !node_wide};
        status = event_encode(&attr, d->root, d->uarch, group->events[opened]);
        if (status < 0) {
            doctor_refused(f, d->uarch->pmu, status, perf_explain(status, &d->perf));
            break;
        }
        int leader = opened > 0 ? fds[0] : -1;
        fds[opened] = doctor_open(d, f, group->events[opened]->class, &attr,
                                  (struct doctor_target){node_wide ? -1 : 0, node_wide ? 0 : -1, leader});
        status = fds[opened] < 0 ? fds[opened] : 0;
    }
    while (opened > 0)
        close(fds[--opened]);
    return status;
}

// The plan was asked for every topic.
static const struct event_plan_answer *doctor_locality_answer(const struct event_plan *plan, const char *topic)
{
    const struct event_plan_answer *answer = plan->answers;
    while (strcmp(answer->topic, topic) != 0)
        answer++;
    return answer;
}

static void doctor_locality_sum_up(const struct doctor *d, struct doctor_finding *f,
                                   const struct doctor_locality_tally *tally)
{
    if (tally->opened[0] && tally->refused[0])
        doctor_find(f, DOCTOR_PART, "%s: %s; not %s", d->uarch->name, tally->opened, tally->refused);
    else if (tally->opened[0])
        doctor_find(f, tally->assumed ? DOCTOR_PART : DOCTOR_YES, "%s: %s", d->uarch->name, tally->opened);
    else if (!tally->refused[0])
        doctor_find(f, DOCTOR_NO, "%s has none", d->uarch->name);
    else if (f->state == DOCTOR_UNKNOWN)
        doctor_find(f, DOCTOR_UNKNOWN, "%s has %s; a snapshot does not tell whether they open", d->uarch->name,
                    tally->refused);
    // Else the finding of the first refusal stands.
    if (tally->assumed) {
        doctor_cause(f, "what relatives of this CPU count is assumed of it, and not confirmed");
        doctor_remedy(f, "numaprof verify");
    }
}

static bool doctor_locality_counts_local(const struct event_plan_group *group)
{
    for (int i = 0; i < group->count; i++)
        if (strcmp(group->events[i]->placement, EVENT_LOCAL_DRAM) == 0)
            return true;
    return false;
}

// Tries the groups that count what retired loads, or requests, were answered from.
static void doctor_locality_try_all(const struct doctor *d, struct doctor_finding *f, const struct event_plan *plan,
                                    bool retired, struct doctor_locality_tally *tally)
{
    for (int i = 0; i < plan->group_count; i++) {
        const struct event_plan_group *group = &plan->groups[i];
        struct doctor_finding refusal = {0};
        if (event_catalogue_is_retired(group->events[0]) != retired)
            continue;
        bool opens = doctor_locality_try(d, &refusal, group) == 0;
        if (!opens && !tally->refused[0])
            *f = refusal;
        tally->local |= doctor_locality_counts_local(group);
        tally->assumed |= opens && strcmp(event_catalogue_confidence(group->events[0]), "assumed") == 0;
        doctor_locality_count(opens ? tally->opened : tally->refused, sizeof tally->opened, group->events[0]->class);
    }
}

static void doctor_locality_events(const struct doctor *d, struct doctor_finding *f, bool retired)
{
    struct event_plan plan;
    const struct event_plan_request everything = {.topics = event_plan_all_topics,
                                                  .split = d->topology && event_plan_sockets_are_split(d->topology)};
    if (!d->perf.pmu[0]) {
        doctor_no_pmu(f);
        return;
    }
    if (!d->uarch || event_plan_make(&plan, d->catalogue, d->uarch, &everything) < 0) {
        doctor_find(f, DOCTOR_NO, "not known");
        doctor_cause(f, "this CPU is not in the event catalogue");
        if (!d->topology || d->topology->node_count > 1)
            doctor_remedy(f, "docs/dev/adding-a-cpu.md says how to add it");
        return;
    }
    struct doctor_locality_tally tally = {0};
    const struct event_plan_answer *answer = doctor_locality_answer(&plan, retired ? "retired" : "any");
    if (!retired || answer->class) // else retired loads tell caches at most
        doctor_locality_try_all(d, f, &plan, retired, &tally);
    doctor_locality_sum_up(d, f, &tally);
    if (f->state == DOCTOR_YES && !tally.local)
        f->state = DOCTOR_PART;
    if (!f->cause[0] && !tally.local)
        doctor_cause(f, "%s", answer->why[0] ? answer->why : "this CPU has no such events that are documented");
}

void doctor_locality_reads(const struct doctor *d, struct doctor_finding *f)
{
    doctor_locality_events(d, f, false);
}

void doctor_locality_retired(const struct doctor *d, struct doctor_finding *f)
{
    doctor_locality_events(d, f, true);
}
