// SPDX-License-Identifier: Apache-2.0
// Gives places and call paths their numbers in the recording, each written once. A place is an instruction in a file; a
// call path is a linked list from the innermost place outwards, so paths with the same callers share them.
#ifndef COLLECTORS_STACKS_H
#define COLLECTORS_STACKS_H

#include "collectors/maps.h"
#include "core/record_queue.h"
#include "core/table.h"

enum {
    STACKS_MAX_DEPTH = 64,         // frames kept of a call path; deeper ones are marked as truncated
    STACKS_MAX_PLACES = 160000,    // memory of the recorder is bounded; beyond this a place is NULL and counted
    STACKS_MAX_PATHS = 250000, 
};

struct stacks_place {
    const char *path;              // interned; "" where no file is known
    uint64_t address;              // offset in the file, or the address itself
};

struct stacks {
    struct record_queue *queue;
    struct table place_ids;        // hash of path and address -> id
    struct table stack_ids;        // hash of place and caller -> id
    struct table whole_paths;      // hash of all addresses of a path -> stack id: most samples end here
    struct stacks_place *places;   // by id - 1, for the symboliser
    int64_t place_count, stack_count;
    size_t places_size;
    uint64_t refused;              // samples whose path had no room
};

// Addresses of a call path, innermost first; all but the first are return addresses. is_truncated: callers are missing.
// key: a hash of what the addresses mean besides their value (process and generation of its maps).
// Returns the id of the path, or RECORDING_NULL where there is none (no frame, or no room: counted in refused).
int64_t stacks_intern(struct stacks *stacks, const struct maps *maps, uint64_t key, const uint64_t *addresses,
                      size_t count, bool is_truncated);

void stacks_free(struct stacks *stacks);

#endif
