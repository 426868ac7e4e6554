// SPDX-License-Identifier: Apache-2.0
// /proc/PID/numa_maps: how many pages of each mapping are on which node (numa_maps(5)). The second-best source of
// pages' nodes: it tells how many, not which; and the kernel walks all page tables for it.
#ifndef COLLECTORS_PAGES_NUMA_MAPS_H
#define COLLECTORS_PAGES_NUMA_MAPS_H

#include <stdint.h>
#include <sys/types.h>

struct numa_maps_count {
    uint64_t mapping;  // its start
    uint64_t address;  // of this count alone, near the mapping's start: a mapping may have more counts than pages
    int node;
    uint64_t pages;    // of the mapping on the node, in base pages of page_bytes
};

typedef void numa_maps_handler(void *context, const struct numa_maps_count *count);

// Hands out every count of the file's text.
void numa_maps_parse(const char *text, uint64_t page_bytes, numa_maps_handler *handle, void *context);

// The same for a process; -errno of reading its file.
int numa_maps_read(pid_t pid, uint64_t page_bytes, numa_maps_handler *handle, void *context);

#endif
