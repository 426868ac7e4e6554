// SPDX-License-Identifier: Apache-2.0
// On which nodes the memory of a running process is, from a sample of its pages: move_pages(2) about some hundred
// addresses. Never numa_maps, which walks all page tables while the process waits. Files other than shared memory are
// left out, as in the report: their pages are the page cache's.
#ifndef PROFILER_LIVE_LIVE_PAGES_H
#define PROFILER_LIVE_LIVE_PAGES_H

#include <stdint.h>
#include <sys/types.h>

#include "core/text/json.h"
#include "core/topology/topology.h"

// Looking costs at most a hundredth of one CPU for a process, and a fixed number of pages in a round.
struct live_pages_budget {
    size_t left;                     // pages that may be asked about in this round
    size_t each;                     // of one process
    uint64_t rest_ns;                // between two looks at one process, so that all get their turn
};

struct live_pages {
    uint64_t next_at;                // CLOCK_MONOTONIC; not before
    uint64_t turn;                   // so that each look takes other pages
};

// Shares the budget of a round among so many processes.
struct live_pages_budget live_pages_share(size_t processes, uint64_t interval_ns);

// Looks if it is time to and writes the object "pages", or null: not now. Estimates are in pages; "nodes" in the order
// of the topology.
void live_pages_write(struct live_pages *pages, struct live_pages_budget *budget, struct json *json, pid_t pid,
                      const struct topology *topology);

#endif
