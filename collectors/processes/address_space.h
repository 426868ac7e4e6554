// SPDX-License-Identifier: Apache-2.0
// The address space of a process over time: which file or sort of memory an address belongs to. Fed from /proc/PID/maps
// once and from the kernel's mmap records after that (unmapping is not reported: a later mapping replaces an older
// one).
#ifndef COLLECTORS_PROCESSES_ADDRESS_SPACE_H
#define COLLECTORS_PROCESSES_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/perf/perf_record.h"
#include "core/util/intern.h"

enum mapping_kind {
    MAPPING_ANONYMOUS,  // private, no file: mmap, large malloc, thread stacks
    MAPPING_HEAP,       // [heap]
    MAPPING_STACK,      // [stack] of the main thread
    MAPPING_STATIC,     // writable private mapping of an ELF file, and the anonymous .bss behind it
    MAPPING_FILE,       // any other file mapping
    MAPPING_SHARED,     // shared memory: memfd, /dev/shm, System V, MAP_SHARED|MAP_ANONYMOUS
    MAPPING_HUGE,       // hugetlbfs
    MAPPING_SPECIAL,    // [vdso], [vvar], [vsyscall]
};

struct mapping {
    uint64_t start, end, file_offset;
    const char *path;    // interned; "" for anonymous memory
    uint64_t inode, device; // device: major << 32 | minor
    uint64_t serial;     // differs from that of any earlier mapping of the same addresses
    enum mapping_kind kind;
    bool file_backed;
    bool shared;         // what a process writes there others see
    bool executable;
    bool is_thread_stack; // a thread's stack pointer was seen in it
    bool touched;        // a page of it was seen to be placed
    bool was_there;      // when the recorder came: pages of it may have been placed before
    bool saw_zero_pages; // a page of it was seen to be the zero page
    uint64_t placed_pages; // that faults of it were seen to place ...
    uint64_t new_pages;  // ... for the first time
    int64_t block;       // the recording's block for this mapping, 0: none yet
};

struct address_space {
    struct mapping *items; // by address, not overlapping
    size_t count, size;
    pid_t pid;           // whose
    uint64_t generation; // changes with every change ...
    uint64_t code;       // ... this with every change of executable mappings: caches keyed by it go stale
};

// All of these: 0 or -ENOMEM; address_space_read also the errors of /proc/PID/maps.
int address_space_read(struct address_space *space, struct intern **paths, pid_t pid);
int address_space_add_mmap(struct address_space *space, struct intern **paths, const struct perf_mmap *mmap);
int address_space_add(struct address_space *space, struct mapping mapping);
int address_space_copy(struct address_space *to, const struct address_space *from);
void address_space_clear(struct address_space *space);

// The mapping that holds the address, or NULL.
struct mapping *address_space_find(const struct address_space *space, uint64_t address);

// Where the next mapping behind an address that no mapping holds begins; UINT64_MAX: there is none.
uint64_t address_space_next(const struct address_space *space, uint64_t address);

#endif
