// SPDX-License-Identifier: Apache-2.0
// Heap blocks that the placement file describes: each in a mapping of its own.
#ifndef COLLECTORS_PRELOAD_PLACE_PLACE_HEAP_H
#define COLLECTORS_PRELOAD_PLACE_PLACE_HEAP_H

#include "collectors/preload/place/place.h"

struct place_request {
    size_t bytes, alignment;     // alignment 0: as malloc aligns
    const void *caller;          // return address of the program's call
    bool zeroed;                 // the block has to be all zero
    bool grows;                  // by realloc: its pages may be moved later
    void *block;                 // whose contents the new block gets; NULL: none
    bool is_moved;               // result: it has the contents, and `block` is gone
};
void *place_try(struct place_request *request);

// A block of its own for an allocation that the file describes, else NULL.
static inline void *place_request(struct place_request *request)
{
    int state = atomic_load_explicit(&place_state, memory_order_acquire);
    return __builtin_expect(state == PLACE_OFF, 1) ? NULL : place_try(request);
}

static inline void *place_allocate(size_t bytes, size_t alignment, const void *caller)
{
    return place_request(&(struct place_request){.bytes = bytes, .alignment = alignment, .caller = caller});
}

bool place_release(void *block);                     // frees a placed block; false: not a placed one
size_t place_usable(const void *block);              // bytes that may be used; 0: not a placed block

#endif
