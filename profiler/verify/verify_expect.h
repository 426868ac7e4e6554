// SPDX-License-Identifier: Apache-2.0
// Computes how many of a pattern's lines an event must count, from its class, placement and catalogue notes, and the
// word for its count. Nothing is measured here.
#ifndef PROFILER_VERIFY_VERIFY_EXPECT_H
#define PROFILER_VERIFY_VERIFY_EXPECT_H

#include "collectors/events/event_catalogue.h"
#include "profiler/verify/verify.h"

// Distance of the memory of a pair of nodes from its CPUs; for modified lines, distance of the other cache.
enum verify_where {
    VERIFY_OWN,
    VERIFY_NEAR,             // another node of the same package: some CPUs call its memory local, some remote
    VERIFY_FAR,
};

struct verify_pair {
    enum verify_where memory;
    enum verify_where cache; // of the VERIFY_TAKEN patterns; VERIFY_OWN: there is no other node with CPUs
    int to_node;
    bool is_tier;            // memory of a node without CPUs ...
    enum verify_where link;  // ... on the link of the CPU's package (OWN) or another one's; NEAR: not known
};

struct verify_range {
    bool known;
    double least, most;      // of the pattern's lines, as shares
};

// Tolerances, as shares of the pattern's lines; docs/verify.md says where they come from.
#define VERIFY_TOLERANCE 0.10 // of lines that must be counted
#define VERIFY_STRAY 0.05     // of lines that must not be counted

// Counts of other events of the same pattern on the same pair, as shares of its lines; below 0: no event counted.
struct verify_seen {
    double prefetched;      // of the pattern's lines, hardware prefetches took so many before the demand for them came
    double stream_demand;   // demand reads of VERIFY_STREAM; prefetches bring the other lines
    double stream_twin;     // counts of the same class with the other placement, on a pair whose memory is there
    double caches, memory;  // answers of caches, of memory: a modified line may be written back before it is read
};

struct verify_range verify_expect(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                  const struct event_entry *event, enum verify_pattern pattern,
                                  const struct verify_pair *pair, const struct verify_seen *seen);

// The catalogue says that the event counts by the node of the page, whoever supplied the line.
bool verify_expect_is_by_home(const struct event_entry *event);

// Word for one count, as a share of the pattern's lines. The range must be known.
enum verify_word verify_expect_word(const struct verify_range *range, double share);

// Compares the cell's runs with the range, which must be known. The cell is wrong if VERIFY_MARGIN more runs are wrong
// than right: then a machine that disturbs one run in five blames a sound event once in 4000 times (Wald, Sequential
// Analysis, 1947: (0.2 / 0.8)^6). It is right if more runs are right than wrong, and open in between.
enum { VERIFY_MARGIN = 6 };
void verify_expect_decide(struct verify_cell *cell, const struct verify_range *range, uint64_t lines);

// Sets the event's word and why from its cells.
void verify_expect_judge(struct verify *verify, size_t event);

#endif
