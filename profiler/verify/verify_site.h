// SPDX-License-Identifier: Apache-2.0
// Where the patterns run: which CPUs stand for the nodes, and memory of one node, looked up page by page.
#ifndef PROFILER_VERIFY_VERIFY_SITE_H
#define PROFILER_VERIFY_VERIFY_SITE_H

#include "core/topology/topology.h"
#include "profiler/measure/memory/memory_bound.h"
#include "profiler/verify/verify.h"
#include "profiler/verify/verify_expect.h"

// The first allowed CPU of a node; -1: none.
int verify_site_cpu(const struct topology *t, int node);
// The sibling thread of the CPU's core, else another CPU of its node; -1: none is allowed.
int verify_site_neighbour(const struct topology *t, int cpu);
// A CPU of another core of the same node; -1: none is allowed.
int verify_site_beside(const struct topology *t, int cpu);
// A CPU of another node, of another package if there is one; -1: none. *where: seen from the node.
int verify_site_other(const struct topology *t, int node, enum verify_where *where);

enum verify_where verify_site_where(const struct topology *t, int from, int to);

// Which package memory without CPUs is linked to, by the firmware's distances: the node's own (OWN), another one (FAR).
// NEAR: not known.
enum verify_where verify_site_link(const struct topology *t, int from, int tier);

// Memory of that many bytes on the node, each page of which is there. Else -errno, and a note says why.
int verify_site_memory(struct verify *verify, const struct topology *t, int node, size_t bytes,
                       struct memory_bound *bound);

#endif
