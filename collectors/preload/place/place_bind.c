// SPDX-License-Identifier: Apache-2.0
// Policies by mbind(2), and their check by move_pages(2): both as system calls, since libnuma's nodemasks were one bit
// short until late 2025.
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/place/place.h"
#include "collectors/preload/preload.h"

enum {
    BIND_WORD = 8 * sizeof(unsigned long),
    BIND_WEIGHTED = 6,               // MPOL_WEIGHTED_INTERLEAVE, since Linux 6.9
    BIND_CHECKED_PAGES = 512,        // of one block, evenly spaced
    BIND_AT_ONCE = 64,               // the stack may be a small one
};

// The kernel takes maxnode - 1 bits, its documentation says maxnode; it reads whole words.
struct bind_mask {
    unsigned long bits[PLACEMENT_NODES / BIND_WORD];
    unsigned long limit;             // maxnode of the system calls
};

static const struct placement *placement;
static uint64_t page_bytes, huge_bytes; // huge_bytes: what the kernel uses unasked; 0: it does not

static size_t bind_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

void place_bind_open(const struct placement *file)
{
    char text[128];
    placement = file;
    page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    bind_read("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    if (strstr(text, "[always]") && bind_read("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", text, sizeof text))
        huge_bytes = strtoull(text, NULL, 10);
    if (huge_bytes & (huge_bytes - 1))
        huge_bytes = 0;
}

// Borders at huge pages where the pieces are large enough that rounding moves little; else at base pages.
static uint64_t bind_unit(const struct place_range *range)
{
    enum { HUGE_PAGES_OF_PIECE = 4 };
    bool is_large = huge_bytes && range->bytes / range->place->piece_count >= HUGE_PAGES_OF_PIECE * huge_bytes;
    return is_large ? huge_bytes : page_bytes;
}

static int bind_piece(uintptr_t start, uintptr_t end, int mode, const struct bind_mask *mask, enum place_how how)
{
    const unsigned long flags = how == PLACE_MOVED ? MPOL_MF_MOVE : 0;
    if (end <= start)
        return 0;
    long status = syscall(SYS_mbind, start, end - start, mode, mask->bits, mask->limit, flags);
    return status < 0 ? -errno : 0;
}

static void bind_add_node(struct bind_mask *mask, uint32_t node)
{
    const unsigned long limit = (node / BIND_WORD + 1) * BIND_WORD + 1;
    mask->bits[node / BIND_WORD] |= 1UL << (node % BIND_WORD);
    mask->limit = limit > mask->limit ? limit : mask->limit;
}

static int bind_interleave(const struct place_range *range, enum place_how how, bool *without_weights)
{
    const struct placement_place *place = range->place;
    const uintptr_t start = range->start, end = start + range->bytes;
    struct bind_mask mask = {0};
    for (uint32_t i = 0; i < place->piece_count; i++)
        bind_add_node(&mask, placement->pieces[place->first_piece + i].node);
    int mode = place->mode == PLACEMENT_WEIGHTED ? BIND_WEIGHTED : MPOL_INTERLEAVE;
    int status = bind_piece(start, end, mode, &mask, how);
    if (status == -EINVAL && mode == BIND_WEIGHTED) {
        status = bind_piece(start, end, MPOL_INTERLEAVE, &mask, how);
        *without_weights = status == 0;
    }
    return status;
}

static uint64_t bind_end(const struct place_range *range, uint32_t piece, uint64_t unit)
{
    return placement_border(placement, range->place, range->start, range->bytes, unit, piece);
}

// MPOL_PREFERRED: where the node is full the kernel takes another, and kills nobody.
static int bind_prefer(uintptr_t start, uintptr_t end, const struct place_range *range, uint32_t piece,
                       enum place_how how)
{
    struct bind_mask mask = {0};
    bind_add_node(&mask, placement->pieces[range->place->first_piece + piece].node);
    return bind_piece(start, end, MPOL_PREFERRED, &mask, how);
}

static bool bind_is_split(const struct place_range *range)
{
    return range->place->mode == PLACEMENT_BLOCKS && range->place->piece_count > 1;
}

// The kernel joins only mappings whose anonymous memory is of one origin (anon_vma), which the first touch makes. It is
// of a base page alone where a huge page might reach over a border. True: all of it has the policy of the first piece.
static bool bind_touched(const struct place_range *range, uint64_t unit)
{
    const uintptr_t start = range->start, end = start + range->bytes;
    bool alone = huge_bytes > 0 && unit == page_bytes;
    if (!bind_is_split(range) || bind_prefer(start, alone ? start + page_bytes : end, range, 0, PLACE_FRESH) < 0)
        return false;
    __atomic_fetch_or((char *)start, 0, __ATOMIC_RELAXED);
    return !alone || bind_prefer(start, end, range, 0, PLACE_FRESH) == 0;
}

static int bind_blocks(const struct place_range *range, enum place_how how, uint64_t *moved)
{
    uint64_t unit = bind_unit(range);
    uintptr_t start = range->start;
    const bool begun = how == PLACE_JOINABLE && bind_touched(range, unit);
    for (uint32_t i = 0; i < range->place->piece_count; i++) {
        uintptr_t end = bind_end(range, i, unit), exact = bind_end(range, i, 1);
        int status = begun && i == 0 ? 0 : bind_prefer(start, end, range, i, how);
        if (status < 0)
            return status;
        *moved += end > exact ? end - exact : exact - end;
        start = end;
    }
    return 0;
}

int place_bind(const struct place_range *range, enum place_how how, uint64_t *moved, bool *without_weights)
{
    *moved = 0;
    *without_weights = false;
    return range->place->mode == PLACEMENT_BLOCKS ? bind_blocks(range, how, moved)
                                                  : bind_interleave(range, how, without_weights);
}

// --- moving: mremap(2) takes one mapping of the kernel, and pieces of different policies are several

void place_bind_join(const struct place_range *range, uintptr_t start, size_t bytes)
{
    if (bind_is_split(range))
        syscall(SYS_mbind, start, bytes, MPOL_DEFAULT, NULL, 0UL, 0UL);
}

void place_bind_again(const struct place_range *range, uintptr_t from, uintptr_t to, size_t bytes)
{
    uint64_t unit = bind_unit(range);
    uintptr_t start = from;
    for (uint32_t i = 0; bind_is_split(range) && i < range->place->piece_count && start < from + bytes; i++) {
        uintptr_t end = bind_end(range, i, unit);
        if (end > from + bytes || i + 1 == range->place->piece_count)
            end = from + bytes;
        if (end <= start)
            continue;
        bind_prefer(to + (start - from), to + (end - from), range, i, PLACE_FRESH);
        start = end;
    }
}

// The kernel unmaps the target of an mremap before most of its checks, and another thread may have mapped memory there
// since: what is free is taken again before it is unmapped, and what is not free is left.
static void bind_give_back(uintptr_t start, size_t bytes)
{
    const unsigned long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    long again = syscall(SYS_mmap, start, bytes, (long)PROT_NONE, flags, -1L, 0L);
    if (again != -1)
        preload_unmap((uintptr_t)again, bytes);
}

int place_bind_move(const struct place_range *from, const struct place_range *to)
{
    const unsigned long flags = MREMAP_MAYMOVE | MREMAP_FIXED;
    place_bind_join(from, from->start, from->bytes);
    if (syscall(SYS_mremap, from->start, from->bytes, to->bytes, flags, to->start) != -1)
        return 0;
    int status = -errno;
    place_bind_again(from, from->start, from->start, from->bytes);
    bind_give_back(to->start, to->bytes);
    return status;
}

// --- where the pages are

static bool check_is_right(const struct place_range *range, uintptr_t page, int node)
{
    const struct placement_place *place = range->place;
    uint64_t unit = bind_unit(range);
    for (uint32_t i = 0; i < place->piece_count; i++) {
        uint32_t asked = placement->pieces[place->first_piece + i].node;
        if (place->mode != PLACEMENT_BLOCKS && asked == (uint32_t)node)
            return true;
        if (place->mode == PLACEMENT_BLOCKS && page < bind_end(range, i, unit))
            return asked == (uint32_t)node;
    }
    return false;
}

void place_check(const struct place_range *range, struct placement_count *count)
{
    void *pages[BIND_AT_ONCE];
    int nodes[BIND_AT_ONCE];
    uint64_t all = range->bytes / page_bytes, asked = all < BIND_CHECKED_PAGES ? all : BIND_CHECKED_PAGES;
    uint64_t each = asked ? all * page_bytes / asked : 0, touched = 0, right = 0;
    for (uint64_t first = 0; first < asked; first += BIND_AT_ONCE) {
        uint64_t many = asked - first < BIND_AT_ONCE ? asked - first : BIND_AT_ONCE;
        for (uint64_t i = 0; i < many; i++)
            pages[i] = (void *)(range->start + (first + i) * all / asked * page_bytes);
        if (syscall(SYS_move_pages, 0, many, pages, NULL, nodes, 0) < 0)
            return;
        for (uint64_t i = 0; i < many; i++) {
            touched += nodes[i] >= 0;
            right += nodes[i] >= 0 && check_is_right(range, (uintptr_t)pages[i], nodes[i]);
        }
    }
    atomic_fetch_add(&count->checked_bytes, touched * each);
    atomic_fetch_add(&count->right_bytes, right * each);
}
