// SPDX-License-Identifier: Apache-2.0
// What the files of the topology reader share. Only core/topology*.c include this.
#ifndef CORE_TOPOLOGY_TOPOLOGY_PARTS_H
#define CORE_TOPOLOGY_TOPOLOGY_PARTS_H

#include "core/topology/topology.h"

enum { TOPOLOGY_PATH_BYTES = 128 }; // all paths here are far shorter

struct topology_reader {
    struct topology *t;
    const char *root;
    pid_t pid;                  // whose CPUs and nodes; 0: ours
    struct cpulist online;      // CPUs
    struct cpulist twins;       // nodes whose list names CPUs of another one
    bool cores_told;            // some file names the CPUs of a core
    int bad_files;              // files that are there but do not hold what they should
    char first_bad[TOPOLOGY_PATH_BYTES];
};

// The parts, in the order in which they need each other. 0, -ENOMEM, and -ENODATA where said.
int topology_cpus_read(struct topology_reader *r);      // -ENODATA: no CPUs
int topology_nodes_read(struct topology_reader *r);     // and distances
void topology_memory_read(struct topology_reader *r);   // kinds
void topology_caches_read(struct topology_reader *r);
void topology_allowed_read(struct topology_reader *r);
void topology_remarks_add(struct topology_reader *r);

// A file that holds a list. 0; -ENOENT and the like; -EINVAL: counted as a bad file. Then the set is empty.
int topology_list(struct topology_reader *r, struct cpulist *set, const char *path_format, ...)
    __attribute__((format(printf, 3, 4)));
// The CPUs that a file of a folder names: as a list or, where the list is missing (snapshots that lscpu reads), as a
// mask.
enum topology_cpu_file { TOPOLOGY_NODE_CPUS, TOPOLOGY_CORE_CPUS, TOPOLOGY_CACHE_CPUS };
int topology_cpu_set(struct topology_reader *r, struct cpulist *set, enum topology_cpu_file file,
                     const char *folder_format, ...) __attribute__((format(printf, 4, 5)));
// A file that holds one number from min on, else TOPOLOGY_UNKNOWN.
int topology_number(struct topology_reader *r, int min, const char *path_format, ...)
    __attribute__((format(printf, 3, 4)));
void topology_bad_file(struct topology_reader *r, const char *path_format, ...) __attribute__((format(printf, 2, 3)));
void topology_note(struct topology *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The bytes of a line "... KEY   N kB" of a meminfo text.
int64_t topology_meminfo(const char *text, const char *key);

// The same for parts that write; NULL: there is none.
struct topology_cpu *topology_cpu_entry(struct topology *t, int id);
struct topology_node *topology_node_entry(struct topology *t, int id);

#endif
