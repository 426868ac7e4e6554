// SPDX-License-Identifier: Apache-2.0
// Estimates on which nodes the memory of a running process is: asks move_pages(2) about some hundred addresses. Does
// not read numa_maps, which walks all page tables while the process waits. Leaves out files other than shared memory,
// as the report does: their pages belong to the page cache.
#ifndef PROFILER_LIVE_LIVE_PAGES_H
#define PROFILER_LIVE_LIVE_PAGES_H

#include <stdint.h>
#include <sys/types.h>

#include "core/text/json.h"
#include "core/topology/topology.h"

// Limits the queries: a hundredth of one CPU per process, and a fixed number of pages per round.
struct live_pages_budget {
    size_t left;                     // pages that this round may still query
    size_t each;                     // pages per process
    uint64_t rest_ns;                // between two queries of one process, so that every process gets its turn
};

struct live_pages {
    uint64_t next_at;                // no query before this time (CLOCK_MONOTONIC)
    uint64_t turn;                   // number of the query: each query takes other pages
};

// Divides the budget of a round among this number of processes.
struct live_pages_budget live_pages_share(size_t processes, uint64_t interval_ns);

// Queries the pages if it is time to, and writes the object "pages"; else writes null. Estimates are in pages; "nodes"
// is in the order of the topology.
void live_pages_write(struct live_pages *pages, struct live_pages_budget *budget, struct json *json, pid_t pid,
                      const struct topology *topology);

#endif
