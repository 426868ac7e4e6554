// SPDX-License-Identifier: Apache-2.0
// What a user can name, by address and time: blocks of the heap while they live, variables of a program, what it mapped
// itself, else the mapping that holds the address. Each gets its rows in the recording when something is first known of
// it.
//
// Allocations, frees and samples must come in the order of their times (perf_merge.h): then what lives at an address
// when a sample comes is what lived there when it was taken, however often the address is used again.
#ifndef COLLECTORS_HEAP_OBJECTS_H
#define COLLECTORS_HEAP_OBJECTS_H

#include "collectors/processes/tasks.h"
#include "core/recording/recording_queue.h"
#include "core/util/table.h"

enum {
    OBJECTS_BLOCKS_OF_ONE = 1000,    // rows of one object; beyond these a block has one only once it has a sample
    OBJECTS_UNNAMED = 8192,          // samples: calloc of 3 GiB, with its faults downsampled, makes as many
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

// What is still there at its addresses ended unseen.
void objects_allocated(struct objects *objects, struct process *process, const struct objects_block *block);
// The heap's block that begins at address, if there is one.
void objects_freed(struct objects *objects, struct process *process, uint64_t address, uint64_t time);
// All of them in this range, also parts of them.
void objects_freed_range(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes,
                         uint64_t time);
// What was mapped in this range, also parts of it.
void objects_unmapped(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes,
                      uint64_t time);
// Frees were missed: which blocks of the heap still live is not known any more.
void objects_forget_heap(struct objects *objects, struct process *process, uint64_t time);

// What lives at an address.
struct objects_found {
    int64_t block;                   // its id in the recording; RECORDING_NULL: none
    bool is_mapped;                  // an allocator may be cutting a block of the heap out of it
    uint64_t unnamed;                // which of objects.unnamed waits for a block there; 0: none
};

// For the sample that is being handled, taken at time.
struct objects_found objects_live(struct objects *objects, struct process *process, uint64_t address, uint64_t time);

// The block of a sample a little later, with what objects_live found: else the block that was just being allocated
// (calloc, the words before a block), a variable, a mapping. RECORDING_NULL: nothing is known there.
int64_t objects_block(struct objects *objects, struct process *process, uint64_t address, uint64_t time,
                      struct objects_found found);

// The sample got a row: should its block be told of later still, the row gets its name then.
void objects_has_row(struct objects *objects, struct objects_found found, int64_t sample);

// The process runs another program: what it touched before is not that program's.
void objects_forget_unnamed(struct objects *objects, const struct process *process);

// A forked child has its parent's blocks, under the same ids.
void objects_inherit(struct objects *objects, struct process *child, const struct process *parent);

void objects_free(struct objects *objects);

#endif
