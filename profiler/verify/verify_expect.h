// SPDX-License-Identifier: Apache-2.0
// How many of a pattern's lines an event must count, by its class, its placement and what the catalogue notes of it; and
// the word for what it counted. Nothing is measured here.
#ifndef PROFILER_VERIFY_VERIFY_EXPECT_H
#define PROFILER_VERIFY_VERIFY_EXPECT_H

#include "collectors/events/event_catalogue.h"
#include "profiler/verify/verify.h"

// Where the memory of a pair of nodes is, seen from its CPUs; of lines that were modified: where the other cache is.
enum verify_where {
    VERIFY_OWN,
    VERIFY_NEAR,             // another node of the same package: what "local" means of it is found out, not known
    VERIFY_FAR,
};

struct verify_pair {
    enum verify_where memory;
    enum verify_where cache; // of the VERIFY_TAKEN patterns; VERIFY_OWN: there is no other node with CPUs
    int to_node;
};

struct verify_range {
    bool known;
    double least, most;      // of the pattern's lines, as shares
};

// Tolerances, as shares of the pattern's lines; docs/verify.md says where they come from.
#define VERIFY_TOLERANCE 0.10 // of what must be counted
#define VERIFY_STRAY 0.05     // of what must not

// stream_demand: for prefetch events, the share of VERIFY_STREAM's lines that demand reads counted on this pair, since only
// the sum is known; below 0: not counted.
struct verify_range verify_expect(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                  const struct event_entry *event, enum verify_pattern pattern,
                                  const struct verify_pair *pair, double stream_demand);

// Word for one count; the range is known.
enum verify_word verify_expect_word(const struct verify_range *range, double share);

// Sets the event's word and why from its cells.
void verify_expect_judge(struct verify *verify, size_t event);

#endif
