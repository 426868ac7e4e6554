// SPDX-License-Identifier: GPL-2.0-or-later
// The shared last-level caches, one per node, that keep the private caches coherent. They include what the private
// caches hold. All nodes' sets of one number have one lock: it covers every line of the set, wherever it is cached.
#ifndef HARDWARE_SHARED_CACHE_H
#define HARDWARE_SHARED_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/shared.h"

struct cpu;

#define SHARED_NOTHING UINT64_MAX

struct shared_reply {
    enum lab_outcome outcome;
    unsigned from; // the node that answered
    uint64_t written; // a modified line that had to leave for memory; SHARED_NOTHING: none had to
};

int shared_cache_init(void);
void shared_cache_clear(void);

// The CPU asks for a line that it does not have, or, `exclusive`, has not for itself alone. With a slot of its private
// cache the line goes there; -1: into the shared cache only.
struct shared_reply shared_cache_request(struct cpu *cpu, uint64_t line, bool exclusive, int64_t slot);

// The CPU will soon ask for the line: the host may fetch what the request will look at.
void shared_cache_expect(const struct cpu *cpu, uint64_t line);

// Empties a slot of the CPU's private cache. True if its line was modified and so is written back to the shared cache.
bool shared_cache_evict(struct cpu *cpu, int64_t slot);

#endif
