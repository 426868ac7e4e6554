// SPDX-License-Identifier: Apache-2.0
// Gives places and call stacks their numbers in the recording, each written once. A place is an instruction in a file;
// a call stack is a linked list from the innermost place outwards, so paths with the same callers share them.
#ifndef COLLECTORS_SAMPLES_CALL_STACKS_H
#define COLLECTORS_SAMPLES_CALL_STACKS_H

#include "collectors/processes/address_space.h"
#include "core/recording/recording_queue.h"
#include "core/util/table.h"

enum {
    CALL_STACKS_MAX_DEPTH = 64,         // frames kept of a call stack; deeper ones are marked as truncated
    CALL_STACKS_MAX_PLACES = 160000,    // memory of the recorder is bounded; beyond this a place is NULL and counted
    CALL_STACKS_MAX_PATHS = 250000,
    CALL_STACKS_PROGRAM_PLACES = 12,    // of a path are named: templates and wrappers stand before the user's own line
};

struct call_stacks_place {
    const char *path;              // interned; "" where no file is known
    uint64_t address;              // offset in the file, or the address itself
    pid_t pid;                     // whose, where there is no file; else 0
};

struct call_stacks_link {
    int32_t place, caller;         // ids; caller 0: outermost known
    uint64_t weight;               // of the samples whose path begins here
};

struct call_stacks {
    struct recording_queue *queue;
    struct table place_ids;        // hash of path and address -> id
    struct table stack_ids;        // hash of place and caller -> id
    struct table whole_paths;      // hash of all addresses of a path -> stack id: most samples end here
    struct table caller_paths;     // the same of all addresses but the innermost; 0: none to show
    struct call_stacks_place *places;   // by id - 1
    struct call_stacks_link *links;     // by id - 1
    int64_t place_count, stack_count;
    size_t places_size, links_size;
    const char *hidden;            // path of a library whose frames are left out; NULL: none
    uint64_t refused;              // samples whose path had no room
};

// Addresses of a call stack, innermost first; all but the first are return addresses. is_truncated: callers are
// missing.
// key: a hash of what the addresses mean besides their value (process and generation of its maps).
// Returns the id of the path, or RECORDING_NULL where there is none (no frame, or no room: counted in refused).
int64_t call_stacks_intern(struct call_stacks *stacks, const struct address_space *space, uint64_t key,
                           const uint64_t *addresses, size_t count, bool is_truncated);

// A sample with this path, worth so much. RECORDING_NULL is no path.
void call_stacks_weigh(struct call_stacks *stacks, int64_t stack, uint64_t weight);

// What each place (by id - 1) matters for finding the line a user can change: the weight of all samples in whose path
// it stands before or among the first CALL_STACKS_PROGRAM_PLACES of a program (programs: table of interned paths); 1
// for each path in which it only starts the program or a thread of it. The caller frees the result; NULL: out of
// memory.
uint64_t *call_stacks_place_weights(const struct call_stacks *stacks, const struct table *programs);

void call_stacks_free(struct call_stacks *stacks);

#endif
