// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify_expect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "event_words.h"

static bool expect_is(const char *text, const char *const words[])
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static bool expect_has_note(const struct event_entry *event, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = event->notes; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, key, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

bool verify_expect_is_by_home(const struct event_entry *event)
{
    return expect_has_note(event, "home");
}

// --- which accesses the event counts

enum expect_class { EXPECT_READS, EXPECT_WRITES, EXPECT_BOTH, EXPECT_RETIRED, EXPECT_ALL, EXPECT_PREFETCH,
                    EXPECT_SOFTWARE, EXPECT_UNKNOWN };

static enum expect_class expect_class_of(const struct event_entry *event)
{
    static const struct {
        const char *name;
        enum expect_class class;
    } classes[] = {
        {EVENT_DEMAND_RD, EXPECT_READS}, {EVENT_DEMAND_RFO, EXPECT_WRITES}, {EVENT_DEMAND, EXPECT_BOTH},
        {EVENT_RETIRED_LOAD, EXPECT_RETIRED}, {EVENT_ANY, EXPECT_ALL}, {EVENT_ANY_L2, EXPECT_ALL},
        {EVENT_READS, EXPECT_ALL},
        {EVENT_PF_ANY, EXPECT_PREFETCH}, {EVENT_PF_L1, EXPECT_PREFETCH}, {EVENT_PF_L2, EXPECT_PREFETCH},
        {EVENT_PF_L3, EXPECT_PREFETCH}, {EVENT_PF_SW, EXPECT_SOFTWARE},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(event->class, classes[i].name) == 0)
            return classes[i].class;
    return EXPECT_UNKNOWN;
}

// Whether demand reads and this event count every line of a stream, whichever of the CPU's prefetchers brought it.
static bool expect_is_complete(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                               const struct event_entry *event)
{
    return strcmp(event->class, EVENT_PF_ANY) == 0 &&
           !event_catalogue_entry(catalogue, cpu, EVENT_PF_L3, EVENT_LOCAL_HOME, NULL) &&
           !event_catalogue_entry(catalogue, cpu, EVENT_PF_L3, EVENT_ANY_HOME, NULL);
}

static const struct verify_range expect_unknown = {.known = false}, expect_none = {.known = true},
                                 expect_each_line = {.known = true, .least = 1, .most = 1},
                                 // Intel's spatial prefetcher completes pairs of lines: up to two lines each.
                                 expect_each_pair = {.known = true, .least = 1, .most = 2},
                                 expect_at_most_each = {.known = true, .least = 0, .most = 1};

// Demand for each line. Lines that prefetchers brought before are theirs: where no event counts prefetches, or not all
// of them, a third may be. An event that counts too many prefetches excuses no more than that.
#define EXPECT_PREFETCHED 0.33

static struct verify_range expect_each(const struct verify_seen *seen)
{
    const double taken = seen->prefetched < 0 ? EXPECT_PREFETCHED : fmin(seen->prefetched, EXPECT_PREFETCHED);
    return (struct verify_range){.known = true, .least = 1 - taken, .most = 1};
}

// A prefetcher that brings a quarter of a stream from one memory brings a part from the other memory too. The part is
// not known where an event counts one of several prefetchers only.
#define EXPECT_TWIN 0.25
#define EXPECT_SOME 0.11 // less VERIFY_TOLERANCE and VERIFY_STRAY, still above 0

static struct verify_range expect_stream(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                         const struct event_entry *event, const struct verify_seen *seen)
{
    const double left = fmax(1 - seen->stream_demand, 0); // of the lines, for prefetchers
    const double some = seen->stream_twin >= EXPECT_TWIN && left >= EXPECT_TWIN ? EXPECT_SOME : 0;
    switch (expect_class_of(event)) {
    case EXPECT_WRITES:
    case EXPECT_SOFTWARE:
        return expect_none;
    case EXPECT_PREFETCH:
        if (seen->stream_demand < 0)
            return expect_at_most_each;
        return (struct verify_range){
            .known = true, .least = expect_is_complete(catalogue, cpu, event) ? left : some, .most = left};
    case EXPECT_UNKNOWN:
        return expect_unknown;
    default:
        return expect_at_most_each;
    }
}

// Lines of the pattern that accesses of the event's class request, from wherever they come.
static struct verify_range expect_asked(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                        const struct event_entry *event, enum verify_pattern pattern,
                                        const struct verify_seen *seen)
{
    enum expect_class class = expect_class_of(event);
    switch (pattern) {
    case VERIFY_RANDOM:
    case VERIFY_TAKEN:
    case VERIFY_BESIDE:
        if (class == EXPECT_WRITES || class == EXPECT_SOFTWARE)
            return expect_none;
        if (class == EXPECT_ALL)
            return expect_each_pair;
        return class == EXPECT_PREFETCH || class == EXPECT_UNKNOWN ? expect_unknown : expect_each(seen);
    case VERIFY_STORES:
    case VERIFY_TAKEN_STORES:
    case VERIFY_BESIDE_STORES:
        if (class == EXPECT_READS || class == EXPECT_RETIRED || class == EXPECT_SOFTWARE)
            return expect_none;
        return class == EXPECT_WRITES || class == EXPECT_BOTH ? expect_each(seen) : expect_unknown;
    case VERIFY_STREAM:
    case VERIFY_TAKEN_STREAM:
    case VERIFY_BESIDE_STREAM:
        return expect_stream(catalogue, cpu, event, seen);
    case VERIFY_SOFTWARE:
        return class == EXPECT_SOFTWARE ? expect_each_line : expect_unknown;
    default:
        return expect_none; // VERIFY_CACHED, VERIFY_NEIGHBOUR: for all
    }
}

// --- whether the event counts answers from there

enum expect_answer { EXPECT_NO, EXPECT_YES, EXPECT_PERHAPS };

static enum expect_answer expect_by_where(enum verify_where where, bool wants_own)
{
    return where == VERIFY_NEAR ? EXPECT_PERHAPS : (where == VERIFY_OWN) == wants_own ? EXPECT_YES : EXPECT_NO;
}

static enum expect_answer expect_slow(const struct event_entry *event, const struct verify_pair *pair)
{
    if (!pair->is_tier)
        return EXPECT_NO;
    if (strncmp(event->placement, "any", 3) == 0)
        return EXPECT_YES;
    return expect_by_where(pair->link, strncmp(event->placement, "local", 5) == 0);
}

static enum expect_answer expect_memory(const struct event_entry *event, const struct verify_pair *pair)
{
    static const char *const caches[] = {EVENT_LOCAL_CACHE, EVENT_REMOTE_CACHE, EVENT_REMOTE_MODIFIED,
                                         EVENT_REMOTE_CLEAN, NULL};
    const char *placement = event->placement;
    if (strcmp(placement, EVENT_LOCAL_DRAM) == 0)
        return expect_by_where(pair->memory, true);
    if (strcmp(placement, EVENT_REMOTE_DRAM) == 0 || strcmp(placement, EVENT_OTHER_SOCKET) == 0)
        return expect_by_where(pair->memory, false);
    if (event_catalogue_is_slow(event))
        return expect_slow(event, pair);
    if (strcmp(placement, EVENT_ANY_DRAM) == 0)
        return EXPECT_YES;
    if (strncmp(placement, "to_node", 7) == 0)
        return placement[7] - '0' == pair->to_node ? EXPECT_YES : EXPECT_NO;
    if (strcmp(placement, EVENT_REMOTE_NEAR_DRAM) == 0 || strcmp(placement, EVENT_REMOTE_FAR_DRAM) == 0)
        return pair->memory == VERIFY_OWN ? EXPECT_NO : EXPECT_PERHAPS;
    if (strcmp(placement, EVENT_LOCAL_CACHE) == 0 && expect_class_of(event) == EXPECT_ALL)
        return EXPECT_PERHAPS; // write-backs of lines that were modified before go there
    return expect_is(placement, caches) ? EXPECT_NO : EXPECT_PERHAPS;
}

// Lines that another core of the same node holds modified.
static enum expect_answer expect_beside(const struct event_entry *event)
{
    if (strcmp(event->placement, EVENT_LOCAL_CACHE) == 0)
        return EXPECT_YES;
    return strstr(event->placement, "home") ? EXPECT_PERHAPS : EXPECT_NO;
}

// Lines that another node's cache holds modified.
static enum expect_answer expect_cache(const struct event_entry *event, const struct verify_pair *pair)
{
    static const char *const modified[] = {EVENT_REMOTE_MODIFIED, EVENT_REMOTE_CACHE, EVENT_OTHER_SOCKET, NULL};
    static const char *const memory[] = {EVENT_LOCAL_DRAM, EVENT_REMOTE_DRAM, EVENT_ANY_DRAM, NULL};
    if (pair->cache == VERIFY_OWN)
        return EXPECT_PERHAPS;
    if (expect_is(event->placement, modified))
        return pair->cache == VERIFY_FAR ? EXPECT_YES : EXPECT_PERHAPS;
    if (expect_is(event->placement, memory))
        return verify_expect_is_by_home(event) ? EXPECT_PERHAPS : EXPECT_NO;
    return EXPECT_PERHAPS;
}

static enum expect_answer expect_answered(const struct event_entry *event, enum verify_pattern pattern,
                                          const struct verify_pair *pair)
{
    if (pattern == VERIFY_TAKEN || pattern == VERIFY_TAKEN_STREAM || pattern == VERIFY_TAKEN_STORES)
        return expect_cache(event, pair);
    if (pattern == VERIFY_BESIDE || pattern == VERIFY_BESIDE_STREAM || pattern == VERIFY_BESIDE_STORES)
        return expect_beside(event);
    return expect_memory(event, pair);
}

static bool expect_is_of_stores(enum verify_pattern pattern)
{
    return pattern == VERIFY_STORES || pattern == VERIFY_TAKEN_STORES || pattern == VERIFY_BESIDE_STORES;
}

// Other events counted in other runs, which lost other lines.
#define EXPECT_VARIES 3.0

static bool expect_is_of_modified(enum verify_pattern pattern)
{
    return pattern >= VERIFY_TAKEN && pattern <= VERIFY_BESIDE_STORES;
}

// The largest share of modified lines that no cache answers: the cache is small, or another program filled it.
static double expect_written_back(enum verify_pattern pattern, const struct verify_seen *seen)
{
    const double lost = 1 - seen->caches;
    if (!expect_is_of_modified(pattern) || seen->caches < 0 || lost <= VERIFY_STRAY)
        return 0;
    return fmin(EXPECT_VARIES * lost, 1);
}

struct verify_range verify_expect(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                  const struct event_entry *event, enum verify_pattern pattern,
                                  const struct verify_pair *pair, const struct verify_seen *seen)
{
    if (pattern == VERIFY_CACHED || pattern == VERIFY_NEIGHBOUR)
        return expect_none;
    struct verify_range asked = expect_asked(catalogue, cpu, event, pattern, seen);
    switch (expect_answered(event, pattern, pair)) {
    case EXPECT_YES:
        if (expect_is_of_modified(pattern) && seen->memory > VERIFY_STRAY)
            asked.least = fmax(asked.least - EXPECT_VARIES * seen->memory, 0);
        return asked;
    case EXPECT_NO: // except for write-backs, whose answer is documented nowhere
        if (expect_is_of_stores(pattern) && expect_class_of(event) == EXPECT_ALL)
            return expect_unknown;
        return (struct verify_range){.known = true, .most = expect_written_back(pattern, seen)};
    default:
        return expect_unknown;
    }
}

enum verify_word verify_expect_word(const struct verify_range *range, double share)
{
    const double wanted = range->least, most = range->most;
    if (share >= wanted * (1 - VERIFY_TOLERANCE) - (wanted < 1 ? VERIFY_STRAY : 0) &&
        share <= most + fmax(most * VERIFY_TOLERANCE, VERIFY_STRAY))
        return VERIFY_RIGHT;
    if (wanted > VERIFY_STRAY && share < VERIFY_STRAY)
        return VERIFY_NOTHING;
    if (wanted > VERIFY_STRAY && fabs(share / fmax(wanted, fmin(most, 1)) - 0.5) <= VERIFY_TOLERANCE)
        return VERIFY_HALF;
    if (most > VERIFY_STRAY && fabs(share / most - 2) <= 2 * VERIFY_TOLERANCE)
        return VERIFY_DOUBLE;
    return VERIFY_OTHER;
}

void verify_expect_decide(struct verify_cell *cell, const struct verify_range *range, uint64_t lines)
{
    cell->least = range->least * (double)lines;
    cell->most = range->most * (double)lines;
    cell->wrong = 0;
    for (int i = 0; i < cell->run_count; i++)
        cell->wrong += verify_word_is_wrong(verify_expect_word(range, (double)cell->runs[i] / (double)lines));
    const int right = cell->run_count - cell->wrong;
    cell->compared = right > cell->wrong || cell->wrong - right >= VERIFY_MARGIN;
    cell->open = !cell->compared;
    cell->word = cell->compared ? verify_expect_word(range, (double)cell->lines / (double)lines) : VERIFY_UNKNOWN;
}

// --- the event as a whole

struct expect_tally {
    int right, partly;          // right cells with lines that the event must count; with lines that it may count
    int words[VERIFY_OTHER + 1]; // wrong cells, by word
    size_t pattern, from, to;   // the first wrong cell with the gravest word
    enum verify_word first;
    const struct verify_cell *open; // a cell whose runs disagree with one another
    size_t open_pattern;
};

static void expect_tally_cell(const struct verify *verify, struct expect_tally *tally, const struct verify_cell *cell,
                              const size_t at[3])
{
    double lines = (double)verify->lines;
    if (cell->open && !tally->open) {
        tally->open = cell;
        tally->open_pattern = at[0];
    }
    if (!cell->compared)
        return;
    if (!verify_word_is_wrong(cell->word)) {
        const bool is_told = cell->least > VERIFY_STRAY * lines && cell->least >= cell->most / 2;
        tally->right += is_told;
        tally->partly += !is_told && (double)cell->lines > VERIFY_STRAY * lines;
        return;
    }
    if (tally->words[cell->word]++ == 0 && cell->word >= tally->first) {
        tally->first = cell->word;
        tally->pattern = at[0];
        tally->from = at[1];
        tally->to = at[2];
    }
}

// One word for all wrong cells: theirs if they agree, else VERIFY_OTHER.
static enum verify_word expect_wrong_word(const struct expect_tally *tally)
{
    int kinds = 0;
    for (int word = VERIFY_NOTHING; word <= VERIFY_OTHER; word++)
        kinds += tally->words[word] > 0;
    return kinds == 1 ? tally->first : VERIFY_OTHER;
}

static void expect_explain(const struct verify *verify, struct verify_event *event, const struct expect_tally *tally,
                           size_t index)
{
    const struct verify_cell *cell =
        verify_cell(verify, index, (enum verify_pattern)tally->pattern, tally->from, tally->to);
    char expected[64];
    if (cell->least < cell->most)
        snprintf(expected, sizeof expected, "%.0f to %.0f", cell->least, cell->most);
    else
        snprintf(expected, sizeof expected, "%.0f", cell->most);
    snprintf(event->why, sizeof event->why, "%s, CPUs of node %d, memory of node %d: %llu counted, %s expected",
             verify_pattern_name((enum verify_pattern)tally->pattern), verify->from[tally->from],
             verify->to[tally->to], (unsigned long long)cell->lines, expected);
}

void verify_expect_judge(struct verify *verify, size_t index)
{
    struct verify_event *event = &verify->events[index];
    struct expect_tally tally = {.first = VERIFY_UNKNOWN};
    for (size_t pattern = 0; pattern < VERIFY_PATTERNS; pattern++)
        for (size_t from = 0; from < verify->from_count; from++)
            for (size_t to = 0; to < verify->to_count; to++)
                expect_tally_cell(verify, &tally,
                                  verify_cell(verify, index, (enum verify_pattern)pattern, from, to),
                                  (const size_t[]){pattern, from, to});
    event->why[0] = '\0';
    if (tally.first != VERIFY_UNKNOWN) {
        event->word = expect_wrong_word(&tally);
        expect_explain(verify, event, &tally, index);
    } else if (tally.open) {
        event->word = VERIFY_UNKNOWN;
        snprintf(event->why, sizeof event->why,
                 "%s: %d of %d runs are not as expected; try again with less else running",
                 verify_pattern_name((enum verify_pattern)tally.open_pattern), tally.open->wrong,
                 tally.open->run_count);
    } else if (tally.right > 0) {
        event->word = VERIFY_RIGHT;
    } else if (tally.partly > 0) {
        event->word = VERIFY_PARTLY;
        snprintf(event->why, sizeof event->why, "how many of the lines it should count is not known beforehand");
    } else {
        event->word = VERIFY_UNKNOWN;
        snprintf(event->why, sizeof event->why, "%s",
                 verify->from_count * verify->to_count == 1 && strncmp(event->placement, "remote", 6) == 0
                     ? "there is no other node here to answer"
                     : "no pattern makes a known number of its accesses here");
    }
}
