// SPDX-License-Identifier: Apache-2.0
// In which order threads take CPUs. Only allowed, online CPUs take part; each stands in the order once.
#ifndef CORE_TOPOLOGY_TOPOLOGY_PIN_H
#define CORE_TOPOLOGY_TOPOLOGY_PIN_H

#include "core/topology/topology.h"

// Both take every allowed core once before any hyperthread of a core that is in use.
enum topology_pin {
    TOPOLOGY_PIN_COMPACT, // node by node, the nodes by their distance from the first
    TOPOLOGY_PIN_SCATTER, // round robin over the nodes, alternating between packages
};

// Writes at most max CPU numbers. Returns how many, or -ENOMEM.
int topology_pin_order(const struct topology *t, enum topology_pin policy, int *cpus, size_t max);

// Why CPUs that a user asked for cannot be had.
struct topology_pin_refusal {
    struct cpulist absent, offline, forbidden; // forbidden: outside the inherited mask
};

// The user's own list, "0,4-6", in its order. Returns how many, or -EINVAL (no list, or empty), -ERANGE, or -EPERM:
// then refusal tells which CPUs cannot be had.
int topology_pin_list(const struct topology *t, const char *text, int *cpus, size_t max,
                      struct topology_pin_refusal *refusal);

// A clause for a message: "CPU 9 does not exist, CPUs 3,5 are offline, ...". Returns out.
char *topology_pin_explain(char *out, size_t size, const struct topology_pin_refusal *refusal);

#endif
