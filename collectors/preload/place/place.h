// SPDX-License-Identifier: Apache-2.0
// Places allocations on nodes as a placement file says (numaprof run --place). Without a file, a large allocation costs
// one comparison more; a small one costs nothing.
#ifndef COLLECTORS_PRELOAD_PLACE_PLACE_H
#define COLLECTORS_PRELOAD_PLACE_PLACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/placement/placement_counts.h"
#include "collectors/placement/placement_file.h"

// --- place.c
enum place_state { PLACE_UNKNOWN, PLACE_OFF, PLACE_ON };
extern _Atomic int place_state;

void place_open(void);           // reads the file that the environment names, once; places static variables
void place_finish(void);         // at the end of the process: looks up where the placed pages are
uint32_t place_process(void);    // a number that a forked child does not share; no system call

static inline bool place_is_on(void)
{
    return atomic_load_explicit(&place_state, memory_order_acquire) == PLACE_ON;
}

static inline size_t place_round(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

// --- place_match.c
int place_match_open(const struct placement *placement); // resolves call stacks in what is loaded; 0 or -errno
// Index of the subject that an allocation belongs to, or -1.
int place_match(enum placement_kind kind, size_t bytes, const void *caller);
uint32_t place_ordinal(int subject);                 // of the calling thread's next allocation of the subject
uintptr_t place_static(int subject);                 // address of a static variable; 0: its module is not loaded

// --- place_bind.c
struct place_range {
    uintptr_t start;             // whole pages
    size_t bytes;
    const struct placement_place *place;
};
void place_bind_open(const struct placement *placement);
enum place_how {
    PLACE_FRESH,                 // nobody has touched it
    PLACE_JOINABLE,              // the same, and its pieces can be joined later: touches the first page
    PLACE_MOVED,                 // it has pages: those on other nodes are moved
};
// Sets the policies of a range. 0 or -errno. *moved: bytes beside the asked border.
int place_bind(const struct place_range *range, enum place_how how, uint64_t *moved, bool *without_weights);
void place_bind_join(const struct place_range *range, uintptr_t start, size_t bytes); // a part, so that mremap takes it
// The policies of the joined part at `from`, now at `to` and of `bytes` bytes: what is new continues the last piece.
void place_bind_again(const struct place_range *range, uintptr_t from, uintptr_t to, size_t bytes);
// Moves the pages of a range to another one, fresh and of another size, without policies. 0, or -errno: `from` is as it
// was and `to` is gone.
int place_bind_move(const struct place_range *from, const struct place_range *to);
void place_check(const struct place_range *range, struct placement_count *count);

// --- place_cache.c: freed blocks with their policies
bool place_cache_keep(int subject, const struct place_range *range); // false: there is no room
// Start of a kept block of exactly this kind, which the caller owns then; 0: none.
uintptr_t place_cache_take(int subject, const struct placement_place *place, size_t bytes, size_t alignment);

// --- place_table.c: placed blocks by address, without a lock
struct place_block {
    _Atomic uintptr_t address;   // 0: never used, 1: removed, 2: being written
    size_t usable;
    struct place_range range;
    uint32_t pieces;             // mappings of the kernel that it takes
    int subject;
    uint32_t process;            // that allocated the block
    bool is_mapping;
    _Atomic bool is_checked;
};
enum {
    PLACE_BLOCKS = 8192,
    PLACE_PIECES = 32768,        // half of the mappings that a process may have (vm.max_map_count is 65530 if not set)
};
bool place_table_has_room(const struct placement_place *place); // for the pieces of one more block
bool place_table_add(const struct place_block *block);   // false: full
struct place_block *place_table_find(uintptr_t address); // NULL: not there
bool place_table_remove(uintptr_t address, struct place_block *removed);
// A slot that nobody finds: of an address, until it is filled or dropped; of a block, until it is put back or dropped.
struct place_block *place_table_claim(uintptr_t address); // NULL: full
struct place_block *place_table_hold(uintptr_t address);  // NULL: not there
void place_table_fill(struct place_block *slot, const struct place_block *block);
void place_table_put_back(struct place_block *slot, uintptr_t address);
void place_table_drop(struct place_block *slot);
struct place_block *place_table_each(size_t *at);        // the next block, NULL: no more

// --- place_mapping.c
// The program mapped anonymous memory. is_private: of this process alone, in pages of the usual sizes.
void place_mapped(void *address, size_t bytes, bool is_private, const void *caller);
void place_unmapped(const void *address);

// The program moves or resizes memory by mremap: lift before, settle after.
struct place_move {
    struct place_range range;    // of the placed mapping
    int subject;
    uintptr_t from;
    size_t bytes;
    struct place_block *slot;    // of the mapping, if it is moved from its start
};
bool place_lift(const void *address, size_t bytes, struct place_move *move); // false: it is not placed
void place_settle(struct place_move *move, const void *address, size_t bytes); // address: what mremap said

// --- place.c, for the files beside it
// The place of the calling thread's next allocation of a subject, counted as asked; NULL: the file has none for it.
const struct placement_place *place_choose(int subject, size_t bytes);

// Subject of an allocation of the calling thread; -1: the file has no *place for it. Inline: each frame of ours costs
// the unwinder 0.2 us.
static inline int place_find(enum placement_kind kind, size_t bytes, const void *caller,
                             const struct placement_place **place)
{
    int subject = place_match(kind, bytes, caller);
    *place = subject >= 0 ? place_choose(subject, bytes) : NULL;
    return *place ? subject : -1;
}

// Sets the policies of a range and counts. bytes: what the program asked for. Returns 0 or -errno.
int place_bind_counted(int subject, const struct place_range *range, enum place_how how, size_t bytes);
void place_count_placed(int subject, int by, size_t bytes); // by: 1, or -1 to take it back
void place_count_refusal(int subject, int error);
void place_count_extra(int subject, size_t bytes);       // more memory than the program asked for
void place_check_block(struct place_block *block);       // looks up once where its pages are

#endif
