// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify_judge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/perf/perf_context.h"
#include "collectors/perf/perf_explain.h"
#include "profiler/verify/verify_site.h"
#include "event_words.h"

enum { JUDGE_SAMPLES = 20 };    // of a pair: with fewer a share says little
#define JUDGE_AGREE 0.90        // of the samples; a prefetcher or the kernel brought the other lines before
#define JUDGE_CHANCE 3.3        // standard errors
#define JUDGE_MEANS 0.90        // of the reads: then the meaning of local or remote is clear

_Static_assert(VERIFY_EVENTS > EVENT_PLAN_GROUPS * EVENT_PLAN_GROUP_EVENTS, "all events of a plan, and sampled loads");

static const char judge_loads[] = "loads";

// --- what there is to verify

static void judge_add_event(struct verify *verify, const struct verify_event *event)
{
    if (verify->event_count < VERIFY_EVENTS)
        verify->events[verify->event_count++] = *event;
}

static void judge_add_group(struct verify *verify, const struct counters *counters, int index,
                            const struct perf_context *context)
{
    const struct counters_group *group = &counters->groups[index];
    for (int i = 0; i < group->count; i++) {
        const struct event_entry *source = group->events[i].source;
        struct verify_event event = {.config = group->events[i].attr.config,
                                     .config1 = group->events[i].attr.config1,
                                     .by_home = source && verify_expect_is_by_home(source)};
        snprintf(event.class, sizeof event.class, "%s", source ? source->class : judge_loads);
        snprintf(event.placement, sizeof event.placement, "%s", source ? source->placement : "");
        if (group->error < 0)
            snprintf(event.why, sizeof event.why, "the kernel refuses it: %s",
                     perf_explain(group->error, context)->cause);
        judge_add_event(verify, &event);
        if (!source)
            return; // one row for all load events: the sample has its source, whichever event took it
    }
}

static size_t judge_nodes(struct verify *verify, const struct topology *t, int *from, size_t *from_count, int *to)
{
    size_t to_count = 0;
    *from_count = 0;
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        const bool has_cpus = cpulist_count(&node->cpus) > 0;
        if (verify_site_cpu(t, node->id) >= 0)
            from[(*from_count)++] = node->id;
        else if (has_cpus)
            verify_note(verify, "CPUs of node %d are left out: none is allowed here (cpuset or taskset)", node->id);
        if (node->mem_bytes != 0 && node->allowed)
            to[to_count++] = node->id;
        else if (node->mem_bytes != 0)
            verify_note(verify, "memory of node %d is left out: it is not allowed here (cpuset)", node->id);
        verify->partial |= (has_cpus && verify_site_cpu(t, node->id) < 0) || (node->mem_bytes != 0 && !node->allowed);
    }
    return to_count;
}

void verify_judge_host(struct verify *verify, const struct host *host)
{
    if (host->is_virtual)
        verify_note(verify,
                    "a virtual machine (%s): its nodes are the hypervisor's word, local is what the table shows",
                    *host->hypervisor ? host->hypervisor : "unnamed");
}

int verify_judge_begin(struct verify *verify, const struct topology *t, const struct counters *counters,
                       size_t bases[COUNTERS_GROUPS])
{
    int *from = calloc(t->node_count, sizeof *from), *to = calloc(t->node_count, sizeof *to), status = -ENOMEM;
    struct verify noted = {0};
    size_t from_count;
    if (!from || !to)
        goto done;
    size_t to_count = judge_nodes(&noted, t, from, &from_count, to);
    status = verify_make(verify, from, from_count, to, to_count);
    if (status < 0)
        goto done;
    verify->partial = noted.partial;
    verify->note_count = noted.note_count;
    memcpy(verify->notes, noted.notes, sizeof verify->notes);
    if (from_count == 0)
        verify_note(verify, "the kernel tells no node of the CPUs that are allowed here");
    struct perf_context context;
    perf_context_read(&context, "");
    for (int i = 0; i < counters->group_count; i++) {
        bases[i] = verify->event_count;
        judge_add_group(verify, counters, i, &context);
    }
    if (t->node_count == 1)
        verify_note(verify, "one node: events of remote memory and remote caches cannot be verified here");
    verify_judge_host(verify, &context.host);
done:
    free(from);
    free(to);
    return status;
}

// --- sampled loads

void verify_judge_samples(struct verify *verify, const struct topology *t, size_t from, size_t to,
                          const uint64_t *sources)
{
    struct verify_loads *loads = verify_loads(verify, from, to);
    const uint64_t local = sources[LOAD_LOCAL_DRAM], remote = sources[LOAD_REMOTE_DRAM];
    uint64_t others = 0;
    for (int source = LOAD_UNKNOWN; source <= LOAD_SLOW_TIER; source++)
        others += source == LOAD_LOCAL_DRAM || source == LOAD_REMOTE_DRAM ? 0 : sources[source];
    if (cpulist_count(&topology_node(t, verify->to[to])->cpus) == 0) { // CPUs call it slow tier, local or remote DRAM
        const uint64_t dram = local > remote ? local : remote, slow = sources[LOAD_SLOW_TIER],
                       agree = slow > dram ? slow : dram;
        *loads = (struct verify_loads){.agree = agree, .differ = local + remote + others - agree};
        return;
    }
    switch (verify_site_where(t, verify->from[from], verify->to[to])) {
    case VERIFY_OWN:
        *loads = (struct verify_loads){.agree = local, .differ = remote + others};
        break;
    case VERIFY_FAR:
        *loads = (struct verify_loads){.agree = remote, .differ = local + others};
        break;
    default: // which of the two is found out elsewhere
        *loads = (struct verify_loads){.agree = local > remote ? local : remote,
                                       .differ = others + (local > remote ? remote : local)};
    }
}

// Whether more samples differ than chance allows at one in ten: one-sided normal bound, wrong once in 2000 times.
static bool judge_disagrees(uint64_t differ, uint64_t count)
{
    const double samples = (double)count, share = 1 - JUDGE_AGREE;
    return (double)differ > samples * share + JUDGE_CHANCE * sqrt(samples * share * (1 - share));
}

static void judge_loads_event(struct verify *verify, struct verify_event *event)
{
    size_t few = 0, wrong = 0, pairs = verify->from_count * verify->to_count;
    struct verify_loads all = {0};
    for (size_t i = 0; i < pairs; i++) {
        const struct verify_loads *loads = &verify->loads[i];
        const uint64_t count = loads->agree + loads->differ;
        all.agree += loads->agree;
        all.differ += loads->differ;
        few += count < JUDGE_SAMPLES;
        wrong += count >= JUDGE_SAMPLES && judge_disagrees(loads->differ, count);
    }
    event->word = wrong > 0 ? VERIFY_OTHER : few > 0 ? VERIFY_UNKNOWN : VERIFY_RIGHT;
    if (wrong > 0)
        snprintf(event->why, sizeof event->why,
                 "of %" PRIu64 " sampled loads %" PRIu64 " name a source that contradicts the page's node",
                 all.agree + all.differ, all.differ);
    else if (few > 0)
        snprintf(event->why, sizeof event->why, "%zu of %zu pairs of nodes gave fewer than %d samples", few, pairs,
                 JUDGE_SAMPLES);
}

// --- counts

static bool judge_is(const struct verify_event *event, const char *class, const char *placement)
{
    return strcmp(event->class, class) == 0 && strcmp(event->placement, placement) == 0;
}

// Share of the pattern's lines that an event counted on a pair; below 0: not counted.
static double judge_share(const struct verify *verify, const char *class, const char *placement,
                          enum verify_pattern pattern, size_t from, size_t to)
{
    for (size_t i = 0; i < verify->event_count; i++) {
        const struct verify_cell *cell = verify_cell(verify, i, pattern, from, to);
        if (judge_is(&verify->events[i], class, placement) && cell->counted)
            return (double)cell->lines / (double)verify->lines;
    }
    return -1;
}

// Demand reads of memory, local or not, on the pair's stream.
static double judge_stream_demand(const struct verify *verify, size_t from, size_t to)
{
    static const char *const classes[] = {EVENT_DEMAND_RD, EVENT_DEMAND};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        double local = judge_share(verify, classes[i], EVENT_LOCAL_DRAM, VERIFY_STREAM, from, to);
        double remote = judge_share(verify, classes[i], EVENT_REMOTE_DRAM, VERIFY_STREAM, from, to);
        if (local >= 0 && remote >= 0)
            return local + remote;
    }
    return -1;
}

// The most that events of these placements counted of a pattern, those of one class together; below 0: none counted.
// Events that count by the home of a line do not say who answered.
static double judge_answers(const struct verify *verify, enum verify_pattern pattern, size_t from, size_t to,
                            const char *const placements[])
{
    double most = -1;
    for (size_t i = 0; i < verify->event_count; i++) {
        double sum = -1;
        for (size_t j = 0; placements[j] && !verify->events[i].by_home; j++) {
            const double share = judge_share(verify, verify->events[i].class, placements[j], pattern, from, to);
            sum = share < 0 ? sum : share + (sum < 0 ? 0 : sum);
        }
        most = sum > most ? sum : most;
    }
    return most;
}

static double judge_twin(const struct verify *verify, const struct event_entry *event, size_t from)
{
    static const char local[] = EVENT_LOCAL_DRAM, remote[] = EVENT_REMOTE_DRAM;
    const bool is_local = strcmp(event->placement, local) == 0;
    double most = -1;
    for (size_t to = 0; to < verify->to_count && (is_local || strcmp(event->placement, remote) == 0); to++)
        most = fmax(most, judge_share(verify, event->class, is_local ? remote : local, VERIFY_STREAM, from, to));
    return most;
}

// Lines of the pair's pattern that an event of all hardware prefetchers counted; below 0: no such event.
static double judge_prefetched(const struct verify *verify, enum verify_pattern pattern, size_t from, size_t to)
{
    double local = judge_share(verify, EVENT_PF_ANY, EVENT_LOCAL_DRAM, pattern, from, to);
    double remote = judge_share(verify, EVENT_PF_ANY, EVENT_REMOTE_DRAM, pattern, from, to);
    return local >= 0 && remote >= 0 ? local + remote : -1;
}

static struct verify_seen judge_seen(const struct verify *verify, const struct event_entry *event,
                                     enum verify_pattern pattern, size_t from, size_t to)
{
    static const char *const other[] = {EVENT_REMOTE_CACHE, EVENT_REMOTE_MODIFIED, EVENT_OTHER_SOCKET, NULL};
    static const char *const own[] = {EVENT_LOCAL_CACHE, NULL};
    static const char *const memory[] = {EVENT_LOCAL_DRAM, EVENT_REMOTE_DRAM, NULL};
    struct verify_seen seen = {.prefetched = judge_prefetched(verify, pattern, from, to),
                               .stream_demand = judge_stream_demand(verify, from, to),
                               .stream_twin = judge_twin(verify, event, from),
                               .memory = judge_answers(verify, pattern, from, to, memory)};
    // Prefetches bring most lines of a stream, and RFOs all lines of stores. Where no event counts what caches answer
    // to these, reads tell how many lines were in a cache.
    const enum verify_pattern reads = pattern >= VERIFY_BESIDE ? VERIFY_BESIDE : VERIFY_TAKEN;
    const char *const *placements = pattern >= VERIFY_BESIDE ? own : other;
    seen.caches = judge_answers(verify, pattern, from, to, placements);
    seen.caches = fmax(seen.caches, judge_answers(verify, reads, from, to, placements));
    return seen;
}

// What answers of a pair's pattern count as, as shares of the lines: local, or elsewhere. False: not counted.
static bool judge_answers_of(const struct verify *verify, const char *class, enum verify_pattern pattern, size_t from,
                             size_t to, double *local, double *elsewhere)
{
    static const char *const others[] = {EVENT_OTHER_CLUSTER_DRAM, EVENT_REMOTE_NEAR_DRAM, EVENT_REMOTE_FAR_DRAM};
    *local = judge_share(verify, class, EVENT_LOCAL_DRAM, pattern, from, to);
    *elsewhere = judge_share(verify, class, EVENT_REMOTE_DRAM, pattern, from, to);
    if (*local < 0 || *elsewhere < 0)
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        *elsewhere += fmax(judge_share(verify, class, others[i], pattern, from, to), 0);
    return true;
}

// Whether memory of another node in the package counts as the own node's or as far memory, by the class's own counts
// on the pair: of reads, else of stores, else of prefetches. VERIFY_NEAR: they do not tell.
static enum verify_where judge_near(const struct verify *verify, const char *class, size_t from, size_t to)
{
    static const enum verify_pattern patterns[] = {VERIFY_RANDOM, VERIFY_STORES, VERIFY_STREAM};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        double local, elsewhere;
        if (!judge_answers_of(verify, class, patterns[i], from, to, &local, &elsewhere) ||
            local + elsewhere <= VERIFY_STRAY)
            continue;
        const double all = local + elsewhere;
        return local >= JUDGE_MEANS * all ? VERIFY_OWN : elsewhere >= JUDGE_MEANS * all ? VERIFY_FAR : VERIFY_NEAR;
    }
    return VERIFY_NEAR;
}

// A node without CPUs is a tier: its memory is local to nobody.
static bool judge_is_tier(const struct topology *t, int node)
{
    return cpulist_count(&topology_node(t, node)->cpus) == 0;
}

static enum verify_where judge_where(const struct verify *verify, const struct topology *t, const char *class,
                                     size_t from, size_t to)
{
    const enum verify_where where = verify_site_where(t, verify->from[from], verify->to[to]);
    return where == VERIFY_NEAR && !judge_is_tier(t, verify->to[to]) ? judge_near(verify, class, from, to) : where;
}

static bool judge_cells(struct verify *verify, const struct topology *t, const struct counters *counters, size_t index,
                        const struct event_entry *event, size_t from, size_t to)
{
    bool open = false;
    struct verify_pair pair = {.memory = judge_where(verify, t, event->class, from, to),
                               .to_node = verify->to[to],
                               .is_tier = judge_is_tier(t, verify->to[to])};
    if (pair.is_tier)
        pair.link = verify_site_link(t, verify->from[from], verify->to[to]);
    verify_site_other(t, verify->from[from], &pair.cache);
    for (int i = 0; i < VERIFY_PATTERNS; i++) {
        const enum verify_pattern pattern = (enum verify_pattern)i;
        struct verify_cell *cell = verify_cell(verify, index, pattern, from, to);
        const struct verify_seen seen = judge_seen(verify, event, pattern, from, to);
        struct verify_range range = verify_expect(counters->catalogue, counters->cpu, event, pattern, &pair,
                                                  &seen);
        if (cell->counted && range.known)
            verify_expect_decide(cell, &range, verify->lines);
        open |= cell->open;
    }
    return open;
}

bool verify_judge_pair(struct verify *verify, const struct topology *t, const struct counters *counters, size_t from,
                       size_t to)
{
    bool open = false;
    size_t index = 0;
    for (int i = 0; i < counters->group_count; i++) {
        const struct counters_group *group = &counters->groups[i];
        const int count = i == counters->loads_group ? 1 : group->count;
        for (int j = 0; j < count && index < verify->event_count; j++, index++)
            if (group->error == 0 && i != counters->loads_group)
                open |= judge_cells(verify, t, counters, index, group->events[j].source, from, to);
    }
    return open;
}

// --- what local means

enum judge_means { JUDGE_NOT_KNOWN, JUDGE_LOCAL, JUDGE_REMOTE, JUDGE_MIXED, JUDGE_NOWHERE };

// What reads of memory at this distance count as, over all pairs of nodes that count any, by the events of one class.
static enum judge_means judge_means_of(const struct verify *verify, const struct topology *t, const char *class,
                                       enum verify_where where)
{
    enum judge_means means = JUDGE_NOT_KNOWN;
    for (size_t from = 0; from < verify->from_count; from++)
        for (size_t to = 0; to < verify->to_count; to++) {
            double local, elsewhere;
            if (verify_site_where(t, verify->from[from], verify->to[to]) != where ||
                !judge_answers_of(verify, class, VERIFY_RANDOM, from, to, &local, &elsewhere) ||
                judge_is_tier(t, verify->to[to]))
                continue;
            const double all = local + elsewhere;
            if (all <= VERIFY_STRAY && where != VERIFY_NEAR) // of own and far memory the event's word tells
                continue;
            enum judge_means found = all <= VERIFY_STRAY              ? JUDGE_NOWHERE
                                     : local >= JUDGE_MEANS * all     ? JUDGE_LOCAL
                                     : elsewhere >= JUDGE_MEANS * all ? JUDGE_REMOTE
                                                                      : JUDGE_MIXED;
            means = means == JUDGE_NOT_KNOWN || means == found ? found : JUDGE_MIXED;
        }
    return means;
}

// A share of local and remote that lacks requests is not used.
static void judge_lacks_near(struct verify *verify, const char *class)
{
    for (size_t i = 0; i < verify->event_count; i++) {
        struct verify_event *event = &verify->events[i];
        if (!judge_is(event, class, EVENT_REMOTE_DRAM) || verify_word_is_wrong(event->word))
            continue;
        event->word = VERIFY_NOTHING;
        snprintf(event->why, sizeof event->why,
                 "of other nodes' memory in the package, which the local event does not count either");
    }
}

static const char *judge_local(struct verify *verify, const struct topology *t, const char *class)
{
    enum judge_means own = judge_means_of(verify, t, class, VERIFY_OWN),
                     near = judge_means_of(verify, t, class, VERIFY_NEAR),
                     far = judge_means_of(verify, t, class, VERIFY_FAR);
    if (own == JUDGE_REMOTE)
        return "not this machine's nodes: memory of the own node counts as remote";
    if (far == JUDGE_LOCAL)
        return "not this machine's nodes: memory of other nodes counts as local";
    if (own != JUDGE_LOCAL || far == JUDGE_MIXED || near == JUDGE_MIXED)
        return own == JUDGE_NOT_KNOWN ? "" : "mixed: part of the own node's or of other nodes' memory counts as local";
    if (near == JUDGE_NOWHERE) {
        judge_lacks_near(verify, class);
        return VERIFY_LOCAL_NODE "; that of other nodes in its package is counted nowhere";
    }
    if (near == JUDGE_NOT_KNOWN)
        return far == JUDGE_NOT_KNOWN ? "" : VERIFY_LOCAL_NODE;
    return near == JUDGE_LOCAL ? "the memory of the own package, all its nodes"
                               : VERIFY_LOCAL_NODE ", not of other nodes in its package";
}

static void judge_local_of(struct verify *verify, const struct topology *t)
{
    static const char *const classes[] = {EVENT_DEMAND_RD, EVENT_DEMAND, EVENT_ANY, EVENT_RETIRED_LOAD};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const char *local = judge_local(verify, t, classes[i]);
        if (!*local)
            continue;
        if (!*verify->local)
            snprintf(verify->local, sizeof verify->local, "%s", local);
        else if (strcmp(verify->local, local) != 0)
            verify_note(verify, "for %s local is: %s", classes[i], local);
    }
}

void verify_judge_all(struct verify *verify, const struct topology *t, const struct counters *counters)
{
    size_t index = 0;
    for (int i = 0; i < counters->group_count; i++) {
        const struct counters_group *group = &counters->groups[i];
        const int count = i == counters->loads_group ? 1 : group->count;
        for (int j = 0; j < count && index < verify->event_count; j++, index++) {
            if (group->error < 0)
                continue; // judge_add_group wrote why
            if (i == counters->loads_group) {
                judge_loads_event(verify, &verify->events[index]);
                continue;
            }
            verify_expect_judge(verify, index);
        }
    }
    judge_local_of(verify, t);
}
