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

// What other events counted of the same pattern on the same pair, as shares of its lines; below 0: none counted.
struct verify_seen {
    double stream_demand;   // demand reads of VERIFY_STREAM: of it and prefetches only the sum is known
    double stream_twin;     // what this class counted of VERIFY_STREAM at the other placement, where that answers
    double caches, memory;  // answers of caches, of memory: a modified line may have been written back before it was wanted
};

struct verify_range verify_expect(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                  const struct event_entry *event, enum verify_pattern pattern,
                                  const struct verify_pair *pair, const struct verify_seen *seen);

// Word for one count; the range is known.
enum verify_word verify_expect_word(const struct verify_range *range, double share);

// Compares the cell's runs with the range, which is known. Wrong needs VERIFY_MARGIN more runs that are wrong than right
// ones, so that what disturbs a run in five on a busy machine blames a sound event once in 4000 times (Wald, Sequential
// Analysis, 1947: (0.2 / 0.8)^6). In between the cell is open.
enum { VERIFY_MARGIN = 6 };
void verify_expect_decide(struct verify_cell *cell, const struct verify_range *range, uint64_t lines);

// Sets the event's word and why from its cells.
void verify_expect_judge(struct verify *verify, size_t event);

#endif
