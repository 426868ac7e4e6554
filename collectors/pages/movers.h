// SPDX-License-Identifier: Apache-2.0
// Who moves pages while a program runs: automatic NUMA balancing, memory tiering (promotion, demotion) and DAMON. The
// kernel counts moves for the whole machine, by node, and by control group; read before and after a run.
// Counters: mm/vmstat.c, mm/memcontrol.c (memory.stat), Documentation/admin-guide/cgroup-v2.rst. DAMON's own moves are
// in pgmigrate_success only.
#ifndef COLLECTORS_PAGES_MOVERS_H
#define COLLECTORS_PAGES_MOVERS_H

#include "core/recording/recording_queue.h"
#include "core/topology/topology.h"

enum movers_counter {
    MOVERS_BALANCED,            // numa_pages_migrated: moved by automatic balancing, promotions among them
    MOVERS_PROMOTED,            // from a slow tier
    MOVERS_PROMOTE_CANDIDATE,
    MOVERS_DEMOTED_KSWAPD,      // to a slow tier, by who reclaimed
    MOVERS_DEMOTED_DIRECT,
    MOVERS_DEMOTED_KHUGEPAGED,
    MOVERS_DEMOTED_PROACTIVE,
    MOVERS_MIGRATED,            // whoever moved: balancing, demotion, compaction, programs, DAMON
    MOVERS_COUNTERS
};

struct movers_values {
    int64_t value[MOVERS_COUNTERS]; // pages since boot; RECORDING_NULL: this kernel does not count it here
};

struct movers {
    struct movers_values machine, cgroup; // cgroup: of this process
    struct movers_values *nodes;    // by index into topology->nodes; NULL: out of memory
    int64_t demotes;                // 1 or 0: the kernel may demote; RECORDING_NULL: unknown
    int64_t damon;                  // DAMON threads that are on; RECORDING_NULL: this kernel has none, or does not tell
};

// Reads everything below root. movers_free frees it.
void movers_read(struct movers *movers, const struct topology *topology, const char *root);
void movers_free(struct movers *movers);

// Difference of a counter of the machine; RECORDING_NULL: unknown.
int64_t movers_moved(const struct movers *before, const struct movers *after, enum movers_counter counter);

// Writes the table mover: a row for each counter that was read twice.
void movers_write(const struct movers *before, const struct movers *after, const struct topology *topology,
                  struct recording_queue *queue);

// The command that switches off the mover of most pages; NULL: there is no one command.
const char *movers_remedy(const struct movers *before, const struct movers *after);

// A sentence about what was moved on the machine meanwhile. Returns the pages it is about; 0: no sentence is due.
int64_t movers_describe(const struct movers *before, const struct movers *after, char *out, size_t size);

#endif
