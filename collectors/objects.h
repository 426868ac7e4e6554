// SPDX-License-Identifier: Apache-2.0
// What a user can name, by address: heap blocks while they live, variables of a program, else the mapping that holds the
// address. Each gets its rows in the recording when something is first known of it.
#ifndef COLLECTORS_OBJECTS_H
#define COLLECTORS_OBJECTS_H

#include "collectors/tasks.h"
#include "core/record_queue.h"
#include "core/table.h"

// A variable that the program's symbol table names.
struct object_variable {
    char name[256];
    uint64_t start, bytes;           // in the process's address space
};

// Finds the variable at an address of a mapping of kind STATIC. False: none is known there.
typedef bool object_find_variable(void *context, const struct mapping *mapping, uint64_t address,
                                  struct object_variable *variable);

struct objects {
    struct record_queue *queue;
    const struct tasks *tasks;
    object_find_variable *find_variable; // NULL: variables are not told apart
    void *context;                   // for it
    struct table heap_objects;       // hash of process and allocation path -> object id
    struct table variables;          // hash of process and start -> block id
    int64_t object_count, block_count;
};

// A block was allocated, or given back (time: CLOCK_MONOTONIC). stack: its allocation path, RECORDING_NULL unknown; kind:
// heap, mapping, huge. A block that is still there at those addresses ended unseen.
void objects_allocated(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes,
                       const char *kind, int64_t stack, int64_t thread, uint64_t time);
// bytes 0: the block that begins at address; else all blocks in this range, also parts of them.
void objects_freed(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes, uint64_t time);

// The block at an address now, by its id in the recording; RECORDING_NULL: nothing is known there.
int64_t objects_block(struct objects *objects, struct process *process, uint64_t address, uint64_t time);

// A forked child has its parent's blocks, under the same ids.
void objects_inherit(struct process *child, const struct process *parent);

void objects_free(struct objects *objects);

#endif
