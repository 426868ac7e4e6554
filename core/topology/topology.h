// SPDX-License-Identifier: Apache-2.0
// What the kernel tells about this machine (or, below a root prefix, about another one): nodes, CPUs, distances,
// memory, last-level caches, and which of them this process may use. Numbers are the kernel's and may have gaps.
// Files, as documented in the kernel's Documentation/ABI/stable/sysfs-devices-node and
// testing/sysfs-devices-system-cpu: /sys/devices/system/{node,cpu}, /proc/self/status, /proc/meminfo, /proc/cpuinfo.
#ifndef CORE_TOPOLOGY_TOPOLOGY_H
#define CORE_TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/system/cpu_identity.h"
#include "core/topology/cpulist.h"

enum {
    TOPOLOGY_UNKNOWN = -1,      // in any number below: the kernel does not tell
    TOPOLOGY_NOTES = 32,
    TOPOLOGY_NOTE_BYTES = 256,
};

// What a node's memory is made of, as far as the kernel lets one know.
enum topology_memory {
    TOPOLOGY_MEMORY_NONE,       // no memory
    TOPOLOGY_MEMORY_DRAM,       // ordinary: the node has CPUs, online or not
    TOPOLOGY_MEMORY_HBM,        // no CPUs, and the firmware's HMAT gives it more bandwidth than any node with CPUs
    TOPOLOGY_MEMORY_CXL,        // no CPUs, behind a CXL region
    TOPOLOGY_MEMORY_PERSISTENT, // no CPUs, behind an NVDIMM bus
    TOPOLOGY_MEMORY_GPU,        // no CPUs, a graphics processor's
    TOPOLOGY_MEMORY_UNTOLD,     // no CPUs, kind not told
};

struct topology_cpu {
    int id;
    int node, package;
    int core;                   // counted over the whole machine in the order of CPU numbers, as lscpu does
    int thread;                 // rank among the hyperthreads of its core, from 0
    int cache;                  // last-level cache, by the first CPU that it serves
    bool online;                // the five numbers above are unknown for offline CPUs
    bool allowed;               // in the inherited affinity mask
};

struct topology_node {
    int id;
    int package;                // unknown: no CPUs, or CPUs of several packages
    enum topology_memory memory;
    bool allowed;               // this process may take memory from it
    int64_t mem_bytes, free_bytes;
    int64_t llc_bytes;          // last-level caches of its CPUs; of one shared with other nodes, its cores' share
    struct cpulist cpus;        // online ones
    bool cpus_told;             // false: the kernel's list could not be read or names CPUs of another node, so
                                // that an empty one says nothing
};

struct topology {
    struct cpu_identity cpu;    // of the first CPU; vendor "": unknown
    struct topology_cpu *cpus;  // present CPUs, by id
    size_t cpu_count;
    struct topology_node *nodes; // online nodes, by id
    size_t node_count;
    int *distance;              // firmware's: node_count x node_count, row: from; by index into nodes
    bool numa;                  // false: the kernel knows no nodes; all is one node 0
    struct cpulist allowed_cpus, allowed_nodes; // online ones
    struct cpulist offline_nodes; // possible but not online
    char notes[TOPOLOGY_NOTES][TOPOLOGY_NOTE_BYTES]; // sentences for people: what is special or could not be read
    size_t note_count;
};

// root: "" is this machine. -ENODATA: no CPU to be found below root; -ENOMEM. Whatever else is missing or unreadable
// becomes a note and an unknown number. Free it also after an error (nothing happens then).
int topology_read(struct topology *t, const char *root);
void topology_free(struct topology *t);

// What this process may use, in place of what we may. -errno: its /proc/PID/status cannot be read; then nothing
// changes.
int topology_allow(struct topology *t, pid_t pid);

// By number; NULL: there is none.
const struct topology_cpu *topology_cpu(const struct topology *t, int id);
const struct topology_node *topology_node(const struct topology *t, int id);

// Neither CPUs nor memory: reserved for what may come, as for the parts of a GPU.
bool topology_node_is_empty(const struct topology_node *node);

// How many of the nodes before this one, by index, have their CPUs in its package; 0 where that is unknown.
// Packages may have any number: on Arm an offset into a firmware table.
size_t topology_package_nodes_before(const struct topology *t, size_t index);

// Memory of a node without CPUs, other than high-bandwidth memory: slow for every CPU, and local to none.
bool topology_is_slow_tier(const struct topology *t, int node);

// Firmware's distance between nodes by number; 10 is local.
int topology_distance(const struct topology *t, int from_node, int to_node);

// All distances are those of local memory: nodes that the kernel emulates (numa=fake), or firmware that does not tell.
bool topology_is_flat(const struct topology *t);

// One word: none, DRAM, HBM, CXL, persistent, GPU, untold.
const char *topology_memory_name(enum topology_memory memory);

#endif
