// SPDX-License-Identifier: Apache-2.0
#include "collectors/preload/place/place.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/preload/preload.h"
#include "core/process/regular_file.h"

_Atomic int place_state;
static struct placement *placement;
static struct placement_counts *counts, unwatched; // unwatched: of a process whose counts nobody asked for
static _Atomic uint32_t forks;                      // that lead to this process from the one that read the file

// --- the file

// The text in memory of its own, *length bytes of it; NULL: it cannot be read.
static char *place_read(const char *path, size_t *length)
{
    struct stat about;
    int fd = regular_file_open(path, 0, &about);
    char *text = NULL;
    if (fd >= 0 && about.st_size > 0 && about.st_size <= PLACEMENT_FILE_BYTES)
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
    int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
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

void place_count_refusal(int subject, int error)
{
    atomic_fetch_add(&counts->subjects[subject].refused, 1);
    atomic_store(&counts->subjects[subject].error, (uint32_t)error);
}

void place_count_placed(int subject, int by, size_t bytes)
{
    atomic_fetch_add(&counts->subjects[subject].placed, (uint64_t)by);
    atomic_fetch_add(&counts->subjects[subject].placed_bytes, (uint64_t)by * bytes);
}

void place_count_extra(int subject, size_t bytes)
{
    atomic_fetch_add(&counts->subjects[subject].extra_bytes, bytes);
}

int place_bind_counted(int subject, const struct place_range *range, enum place_how how, size_t bytes)
{
    struct placement_count *count = &counts->subjects[subject];
    uint64_t moved;
    bool without_weights;
    const bool has_room = how == PLACE_MOVED || place_table_has_room(range->place);
    int status = has_room ? place_bind(range, how, &moved, &without_weights) : -ENOMEM;
    if (status < 0) {
        place_count_refusal(subject, -status);
        return status;
    }
    place_count_placed(subject, 1, bytes);
    atomic_fetch_add(&count->moved_bytes, moved);
    atomic_fetch_add(&count->without_weights, without_weights);
    return 0;
}

// A check takes up to 0.1 ms: checks enough blocks of a subject to estimate a share, and no more.
void place_check_block(struct place_block *block)
{
    enum { CHECKED_BLOCKS = 256 };
    struct placement_count *count = &counts->subjects[block->subject];
    if (!preload_is_filtered() && block->process == place_process() && !atomic_exchange(&block->is_checked, true) &&
        atomic_fetch_add(&count->checked_blocks, 1) < CHECKED_BLOCKS)
        place_check(&block->range, count);
}

const struct placement_place *place_choose(int subject, size_t bytes)
{
    if (preload_is_filtered())
        return NULL;
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
                                .process = place_process(),
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

uint32_t place_process(void)
{
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

static void place_forked(void)
{
    atomic_fetch_add(&forks, 1);
}

// The first process that reads the file is the program itself, and stays it when it runs another program.
static bool place_is_target(void)
{
    const uint32_t self = (uint32_t)getpid();
    uint32_t target = 0;
    return counts != &unwatched && (atomic_compare_exchange_strong(&counts->target, &target, self) || target == self);
}

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
    pthread_atfork(NULL, NULL, place_forked);
    atomic_fetch_add(&counts->processes, 1);
    atomic_fetch_add(&counts->bypassed, preload_is_bypassed());
    place_variables();
    preload_slot_follow(placement->threads, placement->thread_count);
    preload_pin_alone(placement->cpus, placement->cpu_count, counts->slot_users,
                      place_is_target());
    return PLACE_ON;
}

void place_open(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (!environ || atomic_flag_test_and_set(&done)) // without an environment the C library has not begun
        return;
    const struct preload_guard guard = preload_enter();
    atomic_store_explicit(&place_state, place_begin(), memory_order_release);
    preload_leave(guard);
}

void place_finish(void)
{
    struct place_block *block;
    if (!place_is_on())
        return;
    for (size_t at = 0; (block = place_table_each(&at));)
        place_check_block(block);
}
