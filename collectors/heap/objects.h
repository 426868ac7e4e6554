// SPDX-License-Identifier: Apache-2.0
// Finds the object at an address and a time: a live heap block, a variable of a program, memory that the program mapped
// itself, else the mapping that holds the address. The rows of an object are written when it first becomes known.
//
// The caller must pass allocations, frees and samples in the order of their times (perf_merge.h). Then the object that
// is live at an address when a sample is handled is the one that was live when the sample was taken, however often the
// address is used again. All times are CLOCK_MONOTONIC, in ns. Without memory, an object stays unnamed.
#ifndef COLLECTORS_HEAP_OBJECTS_H
#define COLLECTORS_HEAP_OBJECTS_H

#include "collectors/processes/tasks.h"
#include "core/recording/recording_queue.h"
#include "core/util/table.h"

enum {
    OBJECTS_BLOCKS_OF_ONE = 1000,    // block rows of one object; a later block gets its row with its first sample
    OBJECTS_UNNAMED = 8192,          // samples that wait for a block: a calloc of 3 GiB makes that many, downsampled
    // Bytes of variables whose line is looked up, which may unpack all of libc's debug information: that took three
    // quarters of recording `true`.
    OBJECTS_DECLARED_LEAST = 64 << 10,
    OBJECTS_HEADER_BYTES = 16,       // an allocator touches its own words before a block (glibc: two size_t)
};

// A variable that the program's symbol table names.
struct objects_variable {
    char name[256];
    uint64_t start, bytes;           // in the process's address space
    uint64_t own;                    // the file's own address of it
};

// Finds the variable at an address of a mapping of kind STATIC. False: none is known there.
typedef bool objects_find_variable(void *context, const struct mapping *mapping, uint64_t address,
                                   struct objects_variable *variable);

// A sample at an address where no block of the heap was: a call that is still under way may be making one.
struct objects_unnamed {
    uint64_t time, address;
    int64_t process;                 // its id; 0: the sample has its name
    int64_t sample;                  // its id, 0: it has no row yet
    int64_t block;                   // what it is now known to be in, 0: not yet
};

// Shared memory as the process that was seen first has it.
struct objects_shared {
    int64_t object, block;           // ids in the recording
    uint64_t start, bytes;
};

// An object that is a variable of a file.
struct objects_named {
    const char *path;                // interned
    uint64_t address;                // the file's own
    int64_t object;
};

struct objects {
    struct recording_queue *queue;
    const struct tasks *tasks;
    objects_find_variable *find_variable; // NULL: variables are not told apart
    void *context;                   // for it
    struct table heap_objects;       // hash of process and allocation path -> object id
    struct table blocks_of;          // object id -> how many blocks it had
    struct table variables;          // hash of process and start -> block id
    struct table shared;             // hash of device, inode and offset of shared memory -> number in shared_memory
    struct table shared_elsewhere;   // number in shared_memory and another address -> block id
    struct objects_shared *shared_memory;
    size_t shared_count, shared_size;
    struct objects_named *named;
    size_t named_count, named_size;
    int64_t object_count, block_count;
    uint64_t unwritten;              // blocks that have no row
    uint64_t unnamed_count;          // of all time; the last ones are kept, the n-th at n % OBJECTS_UNNAMED
    uint64_t unnamed_newest;         // time of the newest
    struct objects_unnamed unnamed[OBJECTS_UNNAMED];
};

// A block that was allocated.
struct objects_block {
    uint64_t address, bytes;
    uint64_t since;                  // CLOCK_MONOTONIC: when the allocating call began; it may touch the block itself
    const char *kind;                // a word of object.kind; "heap" and "tls" lie within others
    const char *name;                // NULL: named by its allocation path
    int64_t stack, thread;           // ids, RECORDING_NULL: unknown
};

// Adds a block. Live blocks at its addresses end: their frees were not seen.
void objects_allocated(struct objects *objects, struct process *process, const struct objects_block *block);
// Ends the heap block that begins at address, if there is one.
void objects_freed(struct objects *objects, struct process *process, uint64_t address, uint64_t time);
// Ends all heap blocks that overlap the range.
void objects_freed_range(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes,
                         uint64_t time);
// Ends what the program mapped in this range; what lies outside the range stays.
bool objects_is_mapped(const struct process *process, uint64_t address); // by a live mapping that the process told of
void objects_unmapped(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes,
                      uint64_t time);
// Ends all heap blocks: frees were lost, so it is unknown which of them are still live.
void objects_forget_heap(struct objects *objects, struct process *process, uint64_t time);

// The object at an address, as far as it is known when the sample is handled.
struct objects_found {
    int64_t block;                   // its id in the recording; RECORDING_NULL: none
    bool is_mapped;                  // an allocator may be cutting a block of the heap out of it
    uint64_t unnamed;                // which of objects.unnamed waits for a block there; 0: none
};

// Looks up the address of the sample that is being handled, which was taken at time.
struct objects_found objects_live(struct objects *objects, struct process *process, uint64_t address, uint64_t time);

// Returns the block id for a sample after the drain. found: what objects_live returned for it. If that is no block, it
// is a block whose allocation was under way (calloc, the allocator's words before a block), a variable, or a mapping.
// RECORDING_NULL: nothing is known there.
int64_t objects_block(struct objects *objects, struct process *process, uint64_t address, uint64_t time,
                      struct objects_found found);

// Tells that the sample has the row of that id. If its block becomes known later, the row is updated then.
void objects_has_row(struct objects *objects, struct objects_found found, int64_t sample);

// Drops the waiting samples of a process at its exec: they belong to the previous program.
void objects_forget_unnamed(struct objects *objects, const struct process *process);

// Gives a forked child the live blocks of its parent, under the same ids.
void objects_inherit(struct objects *objects, struct process *child, const struct process *parent);

void objects_free(struct objects *objects);

#endif
