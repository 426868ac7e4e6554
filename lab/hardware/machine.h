// SPDX-License-Identifier: GPL-2.0-or-later
// The machine that the plugin's arguments describe; fixed once parsed. The runner makes the arguments from a machine
// description (lab/runner/qemu.py).
#ifndef HARDWARE_MACHINE_H
#define HARDWARE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/shared.h"

enum { MACHINE_LINE_SHIFT = 6, MACHINE_PAGE_SHIFT = 12, MACHINE_NO_NODE = 0xff, MACHINE_PRIVATE_WAYS = 16,
       MACHINE_SHARED_WAYS = 16, MACHINE_CPUS_OF_NODE = 16 };

struct machine_cache {
    uint64_t sets; // a power of two
    unsigned ways;
};

struct machine {
    unsigned cpus, nodes;
    uint64_t end[LAB_NODES]; // the physical address behind the memory of the node, and of all before it
    unsigned package[LAB_NODES];
    unsigned slow[LAB_NODES]; // 1: memory of a slow tier
    unsigned distance[LAB_NODES][LAB_NODES];
    unsigned node_of_cpu[LAB_CPUS]; // by QEMU's index
    struct machine_cache private, shared;
    struct {
        unsigned lines; // 0: no prefetcher
        bool into_shared;
        bool crossing; // follows a stream into the next page
        unsigned skip; // every skip-th is not made; 0: all are made
    } prefetch;
    unsigned truth; // 1: the truth by page is kept
    const char *shared_path;
};

extern struct machine machine;

// Of lines, by their numbers.
static inline bool machine_same_page(uint64_t line, uint64_t other)
{
    return (line ^ other) >> (MACHINE_PAGE_SHIFT - MACHINE_LINE_SHIFT) == 0;
}

// Returns NULL, or what is wrong with the argument that *bad is set to.
const char *machine_parse(int argc, char **argv, const char **bad);

// The node that a guest-physical address is memory of; MACHINE_NO_NODE for what is not memory.
unsigned machine_home(uint64_t physical);

enum lab_where machine_where(unsigned from_node, unsigned to_node);

// Memory of this node answers, or takes a line.
enum lab_outcome machine_memory(unsigned from_node, unsigned home);

// Modelled cycles until the answer; from: the node that answered.
uint32_t machine_latency(unsigned node, enum lab_outcome outcome, unsigned from);

#endif
