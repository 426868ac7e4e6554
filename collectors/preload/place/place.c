// SPDX-License-Identifier: Apache-2.0
#include "collectors/preload/place/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/preload/alloc/alloc_filter.h"
#include "collectors/preload/preload.h"

_Atomic int place_state;
static struct placement *placement;
static struct placement_counts *counts, unwatched; // unwatched: of a process whose counts nobody asked for
static __thread bool inside;                        // what the unwinder allocates is not placed

// --- the file

// The text in memory of its own, *length bytes of it; NULL: it cannot be read.
static char *place_read(const char *path, size_t *length)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0 && about.st_size <= PLACEMENT_FILE_BYTES)
        text = preload_map((size_t)about.st_size, MAP_PRIVATE, fd);
    if (fd >= 0)
        close(fd);
    *length = text ? (size_t)about.st_size : 0;
    return text;
}

static void place_open_counts(void)
{
    const char *path = getenv(PLACEMENT_COUNTS_ENVIRONMENT);
    struct stat about;
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    counts = &unwatched;
    if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size >= (off_t)sizeof *counts) {
        struct placement_counts *shared = preload_map(sizeof *counts, MAP_SHARED, fd);
        counts = shared ? shared : &unwatched;
    }
    if (fd >= 0)
        close(fd);
}

static bool place_load(const char *path)
{
    struct placement_error error;
    size_t length;
    char *text = place_read(path, &length);
    placement = text ? preload_map(sizeof *placement, MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
    bool is_good = placement && placement_parse(placement, text, length, &error) == 0;
    if (text)
        preload_unmap((uintptr_t)text, length);
    return is_good;
}

// --- what came of an allocation

static void place_count_refusal(int subject, int error)
{
    atomic_fetch_add(&counts->subjects[subject].refused, 1);
    atomic_store(&counts->subjects[subject].error, (uint32_t)error);
}

// Sets the policies of a range and counts. bytes: what the program asked for. Returns 0 or -errno.
static int place_bind_counted(int subject, const struct place_range *range, enum place_how how, size_t bytes)
{
    struct placement_count *count = &counts->subjects[subject];
    uint64_t moved;
    bool without_weights;
    int status = place_bind(range, how, &moved, &without_weights);
    if (status < 0) {
        place_count_refusal(subject, -status);
        return status;
    }
    atomic_fetch_add(&count->placed, 1);
    atomic_fetch_add(&count->placed_bytes, bytes);
    atomic_fetch_add(&count->moved_bytes, moved);
    atomic_fetch_add(&count->without_weights, without_weights);
    return 0;
}

// A check takes up to 0.1 ms: checks enough blocks of a subject to estimate a share, and no more.
static void place_check_block(struct place_block *block)
{
    enum { CHECKED_BLOCKS = 256 };
    struct placement_count *count = &counts->subjects[block->subject];
    if (block->pid == getpid() && !atomic_exchange(&block->is_checked, true) &&
        atomic_fetch_add(&count->checked_blocks, 1) < CHECKED_BLOCKS)
        place_check(&block->range, count);
}

// The place of the calling thread's next allocation of a subject; NULL: the file has none for it.
static const struct placement_place *place_choose(int subject, size_t bytes)
{
    const struct placement_place *place =
        placement_find_place(placement, &placement->subjects[subject], place_ordinal(subject));
    if (place) {
        atomic_fetch_add(&counts->subjects[subject].asked, 1);
        atomic_fetch_add(&counts->subjects[subject].asked_bytes, bytes);
    }
    return place;
}

// --- static variables

// The whole pages inside the variable: its neighbours share the pages at its ends.
static void place_variable(int subject)
{
    const struct placement_subject *variable = &placement->subjects[subject];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), address = place_static(subject);
    if (!address)
        return;
    uintptr_t start = (address + page - 1) & ~(page - 1), end = (address + variable->bytes) & ~(page - 1);
    const struct placement_place *place = place_choose(subject, variable->bytes);
    if (!place || end <= start)
        return;
    struct place_block block = {.address = address,
                                .range = {.start = start, .bytes = end - start, .place = place},
                                .subject = subject,
                                .pid = getpid(),
                                .is_mapping = true};
    if (place_bind_counted(subject, &block.range, PLACE_FRESH, variable->bytes) == 0)
        place_table_add(&block);
}

static void place_variables(void)
{
    for (uint32_t i = 0; i < placement->subject_count; i++)
        if (placement->subjects[i].kind == PLACEMENT_STATIC)
            place_variable((int)i);
}

// --- opening

static int place_begin(void)
{
    const char *path = getenv(PLACEMENT_ENVIRONMENT);
    if (!path || !*path)
        return PLACE_OFF;
    preload_connect(); // a recorder's plan goes before the file's
    place_open_counts();
    if (!place_load(path)) {
        atomic_fetch_add(&counts->unreadable, 1);
        return PLACE_OFF;
    }
    place_bind_open(placement);
    if (place_match_open(placement) < 0)
        return PLACE_OFF;
    atomic_fetch_add(&counts->processes, 1);
    atomic_fetch_add(&counts->bypassed, preload_is_bypassed());
    place_variables();
    preload_slot_follow(placement->threads, placement->thread_count);
    preload_pin_alone(placement->cpus, placement->cpu_count, counts->slot_users);
    return PLACE_ON;
}

void place_open(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    int kept_errno = errno;
    if (environ && !atomic_flag_test_and_set(&done)) { // without an environment the C library has not begun
        inside = true;
        int state = place_begin();
        inside = false;
        atomic_store_explicit(&place_state, state, memory_order_release);
    }
    errno = kept_errno;
}

// --- heap blocks

// Offset of the block in its mapping: as malloc's, so that a trial compares nodes and not alignments.
static size_t place_offset(size_t alignment)
{
    enum { MALLOC_HEADER = 16 };
    return alignment <= MALLOC_HEADER ? MALLOC_HEADER : 0;
}

static size_t place_round(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

// A mapping of `bytes` (whole pages) whose start is aligned; 0: there is no memory.
static uintptr_t place_map_aligned(size_t bytes, size_t alignment, size_t page)
{
    size_t spare = alignment > page ? alignment - page : 0;
    uintptr_t memory = (uintptr_t)preload_map(bytes + spare, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!memory)
        return 0;
    uintptr_t start = place_round(memory, alignment > page ? alignment : page);
    preload_unmap(memory, start - memory);
    preload_unmap(start + bytes, memory + spare - start);
    return start;
}

// by: 1, or -1 to take it back.
static void place_count_placed(int subject, int by, size_t bytes)
{
    atomic_fetch_add(&counts->subjects[subject].placed, (uint64_t)by);
    atomic_fetch_add(&counts->subjects[subject].placed_bytes, (uint64_t)by * bytes);
}

// A kept block, or a new mapping with its policies. 0: it could not be made.
static uintptr_t place_memory(int subject, const struct place_request *request, struct place_range *range)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    range->start = request->zeroed ? 0 : place_cache_take(subject, range->place, range->bytes, request->alignment);
    if (range->start) {
        place_count_placed(subject, 1, request->bytes);
        return range->start;
    }
    range->start = place_map_aligned(range->bytes, request->alignment, page);
    if (!range->start) {
        place_count_refusal(subject, ENOMEM);
    } else if (place_bind_counted(subject, range, PLACE_FRESH, request->bytes) < 0) {
        preload_unmap(range->start, range->bytes);
        range->start = 0;
    } else {
        atomic_fetch_add(&counts->subjects[subject].extra_bytes, range->bytes - request->bytes);
    }
    return range->start;
}

static void *place_block(int subject, const struct placement_place *place, const struct place_request *request)
{
    size_t offset = place_offset(request->alignment);
    size_t whole = place_round(request->bytes + offset, (size_t)sysconf(_SC_PAGESIZE));
    struct place_range range = {.bytes = whole, .place = place};
    if (!place_memory(subject, request, &range))
        return NULL;
    struct place_block block = {.address = range.start + offset,
                                .usable = whole - offset,
                                .base = range.start,
                                .base_bytes = whole,
                                .range = range,
                                .subject = subject,
                                .pid = getpid()};
    if (!place_table_add(&block)) {
        place_count_placed(subject, -1, request->bytes);
        place_count_refusal(subject, ENOSPC);
        preload_unmap(range.start, whole);
        return NULL;
    }
    alloc_filter_watch((const void *)(range.start + offset)); // so that free looks twice at the block
    return (void *)(range.start + offset);
}

static bool place_is_size(size_t bytes, size_t alignment)
{
    const size_t most = (size_t)1 << 47; // of an address space
    return bytes < most && alignment <= (size_t)1 << 30 && (alignment & (alignment - 1)) == 0;
}

void *place_try(const struct place_request *request)
{
    void *block = NULL;
    if (inside || !place_is_size(request->bytes, request->alignment))
        return NULL;
    place_open();
    if (atomic_load_explicit(&place_state, memory_order_acquire) != PLACE_ON)
        return NULL;
    int kept_errno = errno;
    inside = true;
    int subject = place_match(PLACEMENT_ALLOCATION, request->bytes, request->caller);
    const struct placement_place *place = subject >= 0 ? place_choose(subject, request->bytes) : NULL;
    if (place)
        block = place_block(subject, place, request);
    inside = false;
    errno = kept_errno;
    return block;
}

bool place_release(void *block)
{
    struct place_block removed, *found = place_table_find((uintptr_t)block);
    int kept_errno = errno;
    if (!found || found->is_mapping)
        return false;
    place_check_block(found);
    if (place_table_remove((uintptr_t)block, &removed) && !place_cache_keep(removed.subject, &removed.range))
        preload_unmap(removed.base, removed.base_bytes);
    errno = kept_errno;
    return true;
}

size_t place_usable(const void *block)
{
    const struct place_block *found = place_table_find((uintptr_t)block);
    return found ? found->usable : 0;
}

// --- the program's own mappings

void place_mapped(void *address, size_t bytes, bool is_private, const void *caller)
{
    if (atomic_load_explicit(&place_state, memory_order_acquire) != PLACE_ON || inside)
        return;
    int kept_errno = errno;
    inside = true;
    int subject = place_match(PLACEMENT_MAPPING, bytes, caller);
    const struct placement_place *place = subject >= 0 ? place_choose(subject, bytes) : NULL;
    if (place) {
        struct place_block block = {
            .address = (uintptr_t)address,
            .range = {.start = (uintptr_t)address,
                      .bytes = place_round(bytes, (size_t)sysconf(_SC_PAGESIZE)),
                      .place = place},
            .subject = subject,
            .pid = getpid(),
            .is_mapping = true,
        };
        if (place_bind_counted(subject, &block.range, is_private ? PLACE_JOINABLE : PLACE_FRESH, bytes) == 0 &&
            !place_usable(address))
            place_table_add(&block);
    }
    inside = false;
    errno = kept_errno;
}

void place_unmapped(const void *address)
{
    struct place_block removed, *found;
    if (!place_is_on())
        return;
    found = place_table_find((uintptr_t)address);
    if (found && found->is_mapping) {
        int kept_errno = errno;
        place_check_block(found);
        place_table_remove((uintptr_t)address, &removed);
        errno = kept_errno;
    }
}

bool place_lift(const void *address, size_t bytes, struct place_move *move)
{
    struct place_block *block = NULL;
    const uintptr_t start = (uintptr_t)address;
    bool is_found = false;
    if (!place_is_on())
        return false;
    for (size_t at = 0; !is_found && (block = place_table_each(&at));)
        is_found = block->is_mapping && start - block->range.start < block->range.bytes;
    if (!is_found)
        return false;
    *move = (struct place_move){.range = block->range, .subject = block->subject, .from = start, .bytes = bytes};
    move->slot = move->range.start == start ? place_table_hold(start) : NULL;
    place_bind_join(&move->range, start, bytes);
    return true;
}

void place_settle(struct place_move *move, const void *address, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t to = address == MAP_FAILED ? move->from : (uintptr_t)address;
    const int kept_errno = errno;
    place_bind_again(&move->range, move->from, to, place_round(address == MAP_FAILED ? move->bytes : bytes, page));
    if (move->slot && to == move->from) {
        place_table_put_back(move->slot, to);
    } else if (move->slot) {
        place_table_drop(move->slot);
        move->range.start = to;
        place_table_add(&(struct place_block){.address = to,
                                              .range = move->range,
                                              .subject = move->subject,
                                              .pid = getpid(),
                                              .is_mapping = true});
    }
    errno = kept_errno;
}

void place_finish(void)
{
    struct place_block *block;
    if (atomic_load_explicit(&place_state, memory_order_relaxed) != PLACE_ON)
        return;
    for (size_t at = 0; (block = place_table_each(&at));)
        place_check_block(block);
}
