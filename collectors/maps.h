// SPDX-License-Identifier: Apache-2.0
// The address space of a process over time: which file or sort of memory an address belongs to. Fed from /proc/PID/maps
// once and from the kernel's mmap records after that (unmapping is not reported: a later mapping replaces an older one).
#ifndef COLLECTORS_MAPS_H
#define COLLECTORS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/perf_record.h"

enum map_kind {
    MAP_KIND_ANONYMOUS,  // private, no file: mmap, large malloc, thread stacks
    MAP_KIND_HEAP,       // [heap]
    MAP_KIND_STACK,      // [stack] of the main thread
    MAP_KIND_STATIC,     // writable private mapping of an ELF file, and the anonymous .bss behind it
    MAP_KIND_FILE,       // any other file mapping
    MAP_KIND_SHARED,     // shared memory: memfd, /dev/shm, System V, MAP_SHARED|MAP_ANONYMOUS
    MAP_KIND_HUGE,       // hugetlbfs
    MAP_KIND_SPECIAL,    // [vdso], [vvar], [vsyscall]
};

struct mapping {
    uint64_t start, end, file_offset;
    const char *path;    // interned; "" for anonymous memory
    uint64_t inode;
    uint64_t serial;     // differs from that of any earlier mapping of the same addresses
    enum map_kind kind;
    bool file_backed;
    bool executable;
    bool is_thread_stack; // a thread's stack pointer was seen in it
    bool touched;        // a page of it was seen to be placed
    bool saw_zero_pages; // a page of it was seen to be the zero page
    int64_t block;       // the recording's block for this mapping, 0: none yet
};

struct maps {
    struct mapping *items; // by address, not overlapping
    size_t count, size;
    pid_t pid;           // whose
    uint64_t generation; // changes with every change ...
    uint64_t code;       // ... this with every change of executable mappings: caches keyed by it go stale
};

// Texts that live as long as the program: paths repeat a lot.
struct map_paths;
const char *map_paths_intern(struct map_paths **paths, const char *path);
void map_paths_free(struct map_paths *paths);

// All of these: 0 or -ENOMEM; maps_read also the errors of /proc/PID/maps.
int maps_read(struct maps *maps, struct map_paths **paths, pid_t pid);
int maps_add_mmap(struct maps *maps, struct map_paths **paths, const struct perf_mmap *mmap);
int maps_add(struct maps *maps, struct mapping mapping);
int maps_copy(struct maps *to, const struct maps *from);
void maps_clear(struct maps *maps);

// The mapping that holds the address, or NULL.
struct mapping *maps_find(const struct maps *maps, uint64_t address);

#endif
