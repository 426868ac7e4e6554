// SPDX-License-Identifier: Apache-2.0
// A walk costs tens of microseconds, and a loop that touches a page an iteration asks for the same one again and again.
// So each walk leaves behind which words of the stack it went by and what they were: where a later sample has the same
// instruction, stack and frame pointer and all those words are the same, its path is the same.
#include "profiler/symbols/unwind.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/table.h"
#include "profiler/symbols/files/debug_files.h"

enum {
    UNWIND_MAX_FRAMES = 64,
    UNWIND_MAX_READS = 256,
    UNWIND_MEMO_BYTES = 8 << 20,   // of remembered walks; then all are forgotten
};

// Positions in the kernel's list of user registers, and their DWARF numbers.
#if defined(__x86_64__)
enum { UNWIND_SP = 7, UNWIND_IP = 8, UNWIND_FP = 6 }; // PERF_REG_X86_SP, _IP, _BP; the sampled set has no gap below
// DWARF 0..16: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip (System V ABI, figure 3.36) by index among the sampled.
static const signed char unwind_dwarf[] = {0, 3, 2, 1, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19, 8};
#elif defined(__aarch64__)
enum { UNWIND_SP = 31, UNWIND_IP = 32, UNWIND_FP = 29 };
static const signed char unwind_dwarf[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                           16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
#else
enum { UNWIND_SP = 0, UNWIND_IP = 0, UNWIND_FP = 0 };
static const signed char unwind_dwarf[] = {0};
#endif

struct unwind_read {
    uint64_t offset, value;        // from the stack pointer
};

// A remembered walk: this, then its reads, then its addresses.
struct unwind_memo {
    size_t reads, count;
    bool truncated;
    struct unwind_read data[];
};

// What elfutils knows of one process.
struct unwind_process {
    Dwfl *dwfl;
    int64_t id;
    uint64_t code;                 // of its maps: other executable mappings make this stale
    struct unwind_process *next;
};

// The walk under way, for elfutils' callbacks.
struct unwind_walk_state {
    struct program_files *files;
    const struct process *process;
    const struct perf_sample *sample;
    struct unwind_process *known;
    uint64_t *addresses;
    size_t count, max;
    bool left_stack;
    size_t read_count;
    struct unwind_read reads[UNWIND_MAX_READS];
};

struct unwind {
    struct program_files *files;
    struct unwind_process *processes;
    struct table memos;            // hash of process, generation and registers -> struct unwind_memo *
    size_t memo_bytes;
    struct unwind_walk_state state;
};

// --- modules

// Where a file's segments lie in a process, all of them: its own addresses and bias.
struct unwind_range {
    uint64_t bias, start, end;
};

// Finds the code segment that holds the mapping's offset; its first page may belong to another segment as well. A
// second mapping of a part of the program (V8 makes one) is not the program.
static bool unwind_find_range(Elf *elf, const struct mapping *mapping, struct unwind_range *range)
{
    size_t count = 0;
    bool found = false;
    GElf_Ehdr header;
    if (elf_getphdrnum(elf, &count) != 0 || !gelf_getehdr(elf, &header))
        return false;
    *range = (struct unwind_range){.start = UINT64_MAX};
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        range->start = segment.p_vaddr < range->start ? segment.p_vaddr : range->start;
        range->end = segment.p_vaddr + segment.p_memsz > range->end ? segment.p_vaddr + segment.p_memsz : range->end;
        uint64_t page_offset = segment.p_offset & ~(segment.p_align ? segment.p_align - 1 : 0);
        if (!found && segment.p_flags & PF_X && mapping->file_offset >= page_offset &&
            mapping->file_offset < segment.p_offset + segment.p_filesz) {
            range->bias = mapping->start - (segment.p_vaddr + mapping->file_offset - segment.p_offset);
            found = true;
        }
    }
    range->start += range->bias;
    range->end += range->bias;
    return found && (header.e_type != ET_EXEC || range->bias == 0);
}

// Told twice of a file at one place, elfutils frees the first, which may be the one it knows the machine from.
static bool unwind_is_free(Dwfl *dwfl, const struct unwind_range *range)
{
    return !dwfl_addrmodule(dwfl, range->start) && !dwfl_addrmodule(dwfl, range->end - 1);
}

// Tells elfutils of the file that is mapped at an address, if it does not know it yet.
static void unwind_report(const struct unwind_walk_state *state, uint64_t address)
{
    Dwfl *dwfl = state->known->dwfl;
    const struct mapping *mapping = address_space_find(&state->process->space, address);
    if (dwfl_addrmodule(dwfl, address) || !mapping || !mapping->executable || *mapping->path != '/')
        return;
    int fd = program_files_descriptor(state->files, mapping->path);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    struct unwind_range range;
    bool wanted = elf && unwind_find_range(elf, mapping, &range) && unwind_is_free(dwfl, &range);
    elf_end(elf);
    dwfl_report_begin_add(dwfl);
    if ((!wanted || !dwfl_report_elf(dwfl, mapping->path, mapping->path, fd, range.bias, true)) && fd >= 0)
        close(fd); // else elfutils has it
    dwfl_report_end(dwfl, NULL, NULL);
}

// --- elfutils' callbacks

static pid_t unwind_next_thread(Dwfl *dwfl, void *argument, void **thread)
{
    (void)dwfl;
    struct unwind *unwind = argument;
    if (*thread)
        return 0;
    *thread = unwind;
    return 1;
}

static bool unwind_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *argument)
{
    (void)dwfl;
    struct unwind_walk_state *state = &((struct unwind *)argument)->state;
    const struct perf_sample *sample = state->sample;
    uint64_t offset = address - sample->regs[UNWIND_SP];
    if (sample->stack_bytes < sizeof *result || offset > sample->stack_bytes - sizeof *result ||
        state->read_count == UNWIND_MAX_READS) {
        state->left_stack = true;
        return false;
    }
    memcpy(result, sample->stack + offset, sizeof *result);
    state->reads[state->read_count++] = (struct unwind_read){.offset = offset, .value = *result};
    return true;
}

static bool unwind_registers(Dwfl_Thread *thread, void *argument)
{
    const struct perf_sample *sample = ((struct unwind *)argument)->state.sample;
    Dwarf_Word registers[sizeof unwind_dwarf];
    for (size_t i = 0; i < sizeof unwind_dwarf; i++)
        registers[i] = sample->regs[unwind_dwarf[i]];
    dwfl_thread_state_register_pc(thread, sample->regs[UNWIND_IP]);
    return dwfl_thread_state_registers(thread, 0, sizeof unwind_dwarf, registers);
}

static const Dwfl_Thread_Callbacks unwind_thread_callbacks = {
    .next_thread = unwind_next_thread,
    .memory_read = unwind_memory,
    .set_initial_registers = unwind_registers,
};

static int unwind_frame(Dwfl_Frame *frame, void *argument)
{
    struct unwind_walk_state *state = argument;
    Dwarf_Addr pc;
    if (!dwfl_frame_pc(frame, &pc, NULL) || pc == 0 || state->count == state->max)
        return DWARF_CB_ABORT;
    unwind_report(state, pc);
    state->addresses[state->count++] = pc;
    return DWARF_CB_OK;
}

// --- processes

// elfutils takes the architecture from a module, so there must be one: the module of the sampled code, or for code made
// at run time the first one that is known.
static bool unwind_attach(struct unwind *unwind, const struct process *process)
{
    struct unwind_walk_state *state = &unwind->state;
    unwind_report(state, state->sample->regs[UNWIND_IP]);
    for (size_t i = 0; i <= process->space.count; i++) {
        if (dwfl_attach_state(state->known->dwfl, NULL, process->pid, &unwind_thread_callbacks, unwind))
            return true;
        if (i < process->space.count)
            unwind_report(state, process->space.items[i].start);
    }
    return false;
}

static struct unwind_process *unwind_new_process(struct unwind *unwind, const struct process *process)
{
    struct unwind_process *known = calloc(1, sizeof *known);
    if (!known)
        return NULL;
    known->id = process->id;
    known->code = process->space.code;
    known->dwfl = dwfl_begin(&debug_files_bare); // call frame information, .eh_frame, is in the file itself
    unwind->state.known = known;
    unwind->state.process = process;
    if (!known->dwfl || !unwind_attach(unwind, process)) {
        dwfl_end(known->dwfl);
        free(known);
        return NULL;
    }
    known->next = unwind->processes;
    unwind->processes = known;
    return known;
}

void unwind_forget(struct unwind *unwind, int64_t process)
{
    for (struct unwind_process **at = &unwind->processes; *at;) {
        struct unwind_process *known = *at;
        if (known->id != process) {
            at = &known->next;
            continue;
        }
        *at = known->next;
        dwfl_end(known->dwfl);
        free(known);
    }
}

static struct unwind_process *unwind_find_process(struct unwind *unwind, const struct process *process)
{
    for (struct unwind_process *known = unwind->processes; known; known = known->next)
        if (known->id == process->id && known->code == process->space.code)
            return known;
    unwind_forget(unwind, process->id);
    return unwind_new_process(unwind, process);
}

// --- memory of earlier walks

static uint64_t unwind_key(const struct process *process, const struct perf_sample *sample)
{
    uint64_t key = table_mix(table_mix(0, (uint64_t)process->id), process->space.code);
    key = table_mix(key, sample->regs[UNWIND_IP]);
    key = table_mix(key, sample->regs[UNWIND_SP]);
    return table_mix(key, sample->regs[UNWIND_FP]);
}

static const uint64_t *unwind_memo_addresses(const struct unwind_memo *memo)
{
    return (const uint64_t *)(memo->data + memo->reads);
}

static const struct unwind_memo *unwind_recall(const struct unwind *unwind, uint64_t key,
                                               const struct perf_sample *sample)
{
    uint64_t value;
    if (!table_get(&unwind->memos, key, &value))
        return NULL;
    const struct unwind_memo *memo = (const struct unwind_memo *)(uintptr_t)value;
    for (size_t i = 0; i < memo->reads; i++) {
        uint64_t offset = memo->data[i].offset;
        if (offset > sample->stack_bytes - sizeof offset ||
            memcmp(sample->stack + offset, &memo->data[i].value, sizeof memo->data[i].value) != 0)
            return NULL;
    }
    return memo;
}

static void unwind_forget_memos(struct unwind *unwind)
{
    uint64_t key, value;
    for (size_t at = 0; table_next(&unwind->memos, &at, &key, &value);)
        free((void *)(uintptr_t)value);
    table_free(&unwind->memos);
    unwind->memo_bytes = 0;
}

// Whether a walk depends on the value: return addresses, and pointers to frames in the stack. Other values are saved
// registers, such as loop counters, and differ in each sample. 48 bits: Arm signs addresses above them.
static bool unwind_went_by(const struct unwind_walk_state *state, uint64_t value)
{
    if (value == 0 || value - state->sample->regs[UNWIND_SP] <= state->sample->stack_bytes)
        return true;
    for (size_t i = 0; i < state->count; i++)
        if ((value ^ state->addresses[i]) << 16 == 0)
            return true;
    return false;
}

// Where the walk left the stack, any word may have led it there.
static void unwind_drop_reads(struct unwind_walk_state *state)
{
    size_t kept = 0;
    for (size_t i = 0; i < state->read_count; i++)
        if (state->left_stack || unwind_went_by(state, state->reads[i].value))
            state->reads[kept++] = state->reads[i];
    state->read_count = kept;
}

static void unwind_remember(struct unwind *unwind, uint64_t key)
{
    unwind_drop_reads(&unwind->state);
    const struct unwind_walk_state *state = &unwind->state;
    size_t reads_bytes = state->read_count * sizeof *state->reads;
    size_t bytes = sizeof(struct unwind_memo) + reads_bytes + state->count * sizeof *state->addresses;
    if (unwind->memo_bytes + bytes > UNWIND_MEMO_BYTES)
        unwind_forget_memos(unwind);
    struct unwind_memo *memo = malloc(bytes);
    uint64_t old = 0;
    if (!memo)
        return;
    *memo = (struct unwind_memo){.reads = state->read_count, .count = state->count, .truncated = state->left_stack};
    memcpy(memo->data, state->reads, reads_bytes);
    memcpy(memo->data + memo->reads, state->addresses, state->count * sizeof *state->addresses);
    table_get(&unwind->memos, key, &old);
    if (table_put(&unwind->memos, key, (uintptr_t)memo) < 0) {
        free(memo);
        return;
    }
    free((void *)(uintptr_t)old);
    unwind->memo_bytes += bytes;
}

uint64_t unwind_stack_pointer(const struct perf_sample *sample)
{
    return sample->regs ? sample->regs[UNWIND_SP] : 0;
}

// --- walking

struct unwind *unwind_open(struct program_files *files)
{
    struct unwind *unwind = calloc(1, sizeof *unwind);
    elf_version(EV_CURRENT);
    if (unwind)
        unwind->files = files;
    return unwind;
}

void unwind_close(struct unwind *unwind)
{
    if (!unwind)
        return;
    while (unwind->processes)
        unwind_forget(unwind, unwind->processes->id);
    unwind_forget_memos(unwind);
    free(unwind);
}

size_t unwind_walk(struct unwind *unwind, const struct process *process, const struct perf_sample *sample,
                   uint64_t *addresses, size_t max, bool *truncated)
{
    if (!sample->regs || sample->stack_bytes < sizeof(uint64_t))
        return 0;
    uint64_t key = unwind_key(process, sample);
    const struct unwind_memo *memo = unwind_recall(unwind, key, sample);
    if (memo) {
        size_t count = memo->count < max ? memo->count : max;
        memcpy(addresses, unwind_memo_addresses(memo), count * sizeof *addresses);
        *truncated = memo->truncated || count < memo->count;
        return count;
    }
    struct unwind_walk_state *state = &unwind->state;
    *state = (struct unwind_walk_state){
        .files = unwind->files, .process = process, .sample = sample, .addresses = addresses, .max = max};
    state->known = unwind_find_process(unwind, process);
    if (!state->known)
        return 0;
    unwind_report(state, sample->regs[UNWIND_IP]);
    dwfl_getthread_frames(state->known->dwfl, 1, unwind_frame, state);
    *truncated = state->left_stack || state->count == max;
    unwind_remember(unwind, key);
    return state->count;
}
