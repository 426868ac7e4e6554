// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/alloc/alloc.h"
#include "collectors/preload/preload.h"
#include "core/process/memory_file.h"
#include "core/system/clock.h"

static struct perf_event_mmap_page *ring; // NULL: no recorder reads it
static __thread bool alloc_write_inside;
static __thread uint32_t alloc_write_tid;

// In memory that a child does not inherit: 0 there. NULL: this kernel cannot do that (before 4.14).
static volatile char *alloc_write_owned;

static void alloc_write_own(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!alloc_write_owned) {
        void *memory = preload_map(page, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        if (!memory)
            return;
        if (madvise(memory, page, MADV_WIPEONFORK) < 0) {
            preload_unmap((uintptr_t)memory, page);
            return;
        }
        alloc_write_owned = memory;
    }
    *alloc_write_owned = 1;
}

int alloc_write_make(void)
{
    size_t bytes = ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES;
    // Sealed: the recorder reads it only if it cannot be made shorter meanwhile.
    int fd = memory_file_make("numaprof-blocks", bytes);
    if (fd < 0)
        return fd;
    void *memory = preload_map(bytes, MAP_SHARED, fd);
    if (!memory) {
        int status = -errno;
        close(fd);
        return status;
    }
    static_assert(ALLOC_RING_MASK + sizeof(struct cpulist) <= ALLOC_RING_CONTROL_BYTES, "it fits");
    memcpy((char *)memory + ALLOC_RING_MASK, preload_process_mask(), sizeof(struct cpulist));
    alloc_write_own();
    ring = memory;
    return fd;
}

void alloc_write_forked(void)
{
    if (ring)
        preload_unmap((uintptr_t)ring, ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES);
    ring = NULL;
    alloc_write_inside = false;
    alloc_write_tid = 0;
}

static void alloc_write_put(uint64_t *at, const void *piece, size_t bytes)
{
    if (!piece || bytes == 0)
        return;
    char *data = (char *)ring + ALLOC_RING_CONTROL_BYTES;
    uint64_t offset = *at & (ALLOC_RING_BYTES - 1), left = ALLOC_RING_BYTES - offset;
    size_t first = bytes < left ? bytes : (size_t)left;
    memcpy(data + offset, piece, first);
    memcpy(data, (const char *)piece + first, bytes - first);
    *at += bytes;
}

// The registers an unwinder starts from, in the order of PERF_EVENT_REGS_USER; the others are not needed.
static size_t alloc_write_registers(uint64_t registers[ALLOC_REGISTERS])
{
    memset(registers, 0, ALLOC_REGISTERS * sizeof *registers);
#if defined(__x86_64__)
    // AX BX CX DX SI DI BP SP IP FLAGS CS SS R8..R15
    __asm__ volatile("movq %%rbx, 8(%0)\n\t"
                     "movq %%rbp, 48(%0)\n\t"
                     "movq %%rsp, 56(%0)\n\t"
                     "leaq 1f(%%rip), %%rax\n1:\n\t"
                     "movq %%rax, 64(%0)\n\t"
                     "movq %%r12, 128(%0)\n\t"
                     "movq %%r13, 136(%0)\n\t"
                     "movq %%r14, 144(%0)\n\t"
                     "movq %%r15, 152(%0)\n\t"
                     :
                     : "r"(registers)
                     : "rax", "memory");
    return 20;
#elif defined(__aarch64__)
    __asm__ volatile("stp x19, x20, [%0, #152]\n\t"
                     "stp x21, x22, [%0, #168]\n\t"
                     "stp x23, x24, [%0, #184]\n\t"
                     "stp x25, x26, [%0, #200]\n\t"
                     "stp x27, x28, [%0, #216]\n\t"
                     "stp x29, x30, [%0, #232]\n\t"
                     "mov x9, sp\n\t"
                     "adr x10, 1f\n1:\n\t"
                     "stp x9, x10, [%0, #248]\n\t"
                     :
                     : "r"(registers)
                     : "x9", "x10", "memory");
    return 33;
#else
    return 0;
#endif
}

static size_t alloc_write_stack_bytes(uintptr_t pointer)
{
    size_t bytes = pointer ? alloc_stack_end(pointer) - pointer : 0;
    return (bytes < ALLOC_STACK_BYTES ? bytes : ALLOC_STACK_BYTES) & ~(size_t)7;
}

// Omits the parts of the record that no longer fit. Returns how much of the ring may be in use after the record.
static uint64_t alloc_write_limit(struct alloc_record *record, uint64_t used)
{
    if (record->header.type == ALLOC_RECORD_FREED)
        return ALLOC_RING_BYTES;
    if (used > ALLOC_RING_STACKS && record->kind != ALLOC_TLS)
        record->header.misc = record->stack_bytes = 0;
    return ALLOC_RING_BLOCKS;
}

// The recorder comes every few milliseconds anyhow: sooner, when much has gathered.
static void alloc_write_ring_doorbell(uint64_t used_before, uint64_t used)
{
    if (used_before <= ALLOC_RING_BYTES / 4 && used > ALLOC_RING_BYTES / 4)
        preload_ring_doorbell();
}

static void alloc_write_count_loss(uint32_t type)
{
    atomic_fetch_add(alloc_ring_counter(ring, ALLOC_LOST), 1);
    atomic_fetch_add(alloc_ring_counter(ring, ALLOC_LOST_FREES), type == ALLOC_RECORD_FREED);
}

// Sets the record's size and reserves room for it. False: there is no room, and the record counts as lost.
static bool alloc_write_reserve(struct alloc_record *record, uint64_t *start)
{
    enum { TRIES = 1000 }; // to read a head and a tail that fit; the program may have overwritten them
    uint64_t head, used;
    size_t bytes;
    int tries = 0;
    do {
        record->lost_frees = (uint32_t)atomic_load(alloc_ring_counter(ring, ALLOC_LOST_FREES));
        head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
        // Acquire: the reader has zeroed what it gave back.
        while (!alloc_ring_used(head, __atomic_load_n(&ring->data_tail, __ATOMIC_ACQUIRE), &used) && ++tries < TRIES)
            head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
        uint64_t limit = alloc_write_limit(record, used);
        bytes = sizeof *record + record->header.misc * sizeof(uint64_t) + record->stack_bytes + sizeof(uint64_t);
        if (used + bytes > limit) {
            alloc_write_count_loss(record->header.type);
            return false;
        }
    } while (!__atomic_compare_exchange_n(&ring->data_head, &head, head + bytes, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    record->header.size = (uint16_t)bytes;
    *start = head;
    alloc_write_ring_doorbell(used, used + bytes);
    return true;
}

static void alloc_write_record(struct alloc_record *record, const uint64_t *registers, const void *stack)
{
    uint64_t start;
    if (alloc_write_tid == 0)
        alloc_write_tid = (uint32_t)syscall(SYS_gettid);
    record->tid = alloc_write_tid;
    // Before the reservation: what another thread does with a freed address has a later record and a later time.
    const uint64_t now = clock_now();
    if (!alloc_write_reserve(record, &start))
        return;
    uint64_t at = start + sizeof record->header;
    alloc_write_put(&at, (const char *)record + sizeof record->header, sizeof *record - sizeof record->header);
    alloc_write_put(&at, registers, record->header.misc * sizeof *registers);
    alloc_write_put(&at, stack, record->stack_bytes);
    alloc_write_put(&at, &now, sizeof now);
    // Release: the record is complete before the reader sees its header, which never wraps: records are aligned to 8.
    char *header = (char *)ring + ALLOC_RING_CONTROL_BYTES + (start & (ALLOC_RING_BYTES - 1));
    __atomic_store_n((uint64_t *)(void *)header, alloc_ring_commit_word(record->header), __ATOMIC_RELEASE);
}

// After a fork without its handlers (a bare system call) the ring is the parent's.
static bool alloc_write_is_ours(void)
{
    return ring && preload_channel() && (alloc_write_owned ? *alloc_write_owned != 0 : preload_is_this_process());
}

// False: nobody reads the record, or a signal handler interrupted this thread with a record half written.
static bool alloc_write_begin(uint32_t type)
{
    if (!alloc_write_is_ours())
        return false;
    if (alloc_write_inside)
        alloc_write_count_loss(type);
    const bool may_write = !alloc_write_inside;
    alloc_write_inside = true;
    return may_write;
}

// Noinline: the registers are those of this frame, whose callers the unwinder finds.
__attribute__((noinline)) void alloc_write_allocated(enum alloc_kind kind, const void *address, size_t bytes,
                                                     uint64_t since)
{
    uint64_t registers[ALLOC_REGISTERS];
    if (!alloc_write_begin(ALLOC_RECORD_ALLOCATED))
        return;
    size_t count = kind == ALLOC_STACK ? 0 : alloc_write_registers(registers);
    uintptr_t pointer = count > 0 ? (uintptr_t)registers[count == 20 ? 7 : 31] : 0;
    struct alloc_record record = {
        .header = {.type = ALLOC_RECORD_ALLOCATED, .misc = (uint16_t)count},
        .address = (uintptr_t)address,
        .bytes = bytes,
        .since = since,
        .kind = kind,
        .stack_bytes = (uint32_t)alloc_write_stack_bytes(pointer),
    };
    alloc_write_record(&record, registers, (const void *)pointer);
    alloc_write_inside = false;
}

void alloc_write_tls(const void *address, size_t bytes, const void *module, uint64_t since)
{
    if (!alloc_write_begin(ALLOC_RECORD_ALLOCATED))
        return;
    struct alloc_record record = {.header = {.type = ALLOC_RECORD_ALLOCATED},
                                  .address = (uintptr_t)address,
                                  .bytes = bytes,
                                  .since = since,
                                  .kind = ALLOC_TLS,
                                  .stack_bytes = sizeof module};
    alloc_write_record(&record, NULL, &module);
    alloc_write_inside = false;
}

void alloc_write_freed(enum alloc_kind kind, const void *address, size_t bytes)
{
    if (!alloc_write_begin(ALLOC_RECORD_FREED))
        return;
    struct alloc_record record = {
        .header = {.type = ALLOC_RECORD_FREED}, .address = (uintptr_t)address, .bytes = bytes, .kind = kind};
    alloc_write_record(&record, NULL, NULL);
    alloc_write_inside = false;
}
