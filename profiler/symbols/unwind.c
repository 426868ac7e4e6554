// SPDX-License-Identifier: Apache-2.0
// A walk costs tens of microseconds, a loop that touches a page an iteration asks for the same one again and again, and
// so do processes that run the same program. So each walk leaves behind which words it went by and what they were, code
// by its shared address and stack by its distance from the stack pointer: where the same words of a later sample mean
// the same, its path is the same.
#include "profiler/symbols/unwind.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/table.h"
#include "profiler/symbols/files/debug_files.h"
#include "profiler/symbols/unwind_code.h"

enum {
    UNWIND_MAX_FRAMES = 64,
    UNWIND_MAX_READS = 256,
    UNWIND_MAX_WORDS = UNWIND_MAX_READS + 3, // and registers
    UNWIND_MEMO_BYTES = 16 << 20,  // of remembered walks; then all are forgotten
    UNWIND_MEMO_CHAIN = 64,        // walks from one instruction that are remembered
    UNWIND_NO_FRAME = 4096,        // no stack has such an address
    UNWIND_MAX_LOST = 4,
    UNWIND_REACH = 4096,           // of a frame, from an address that a word has
    UNWIND_STACK_REACH = 1 << 20,  // beyond the stack pointer: stack that was not copied
    UNWIND_MAX_MODULES = 256,      // files that elfutils holds; then it is to let go of all
};

// Positions in the kernel's list of user registers, and their DWARF numbers. UNWIND_LR: that has a return address.
#if defined(__x86_64__)
// PERF_REG_X86_SP, _IP, _BP; the sampled set has no gap below.
enum { UNWIND_SP = 7, UNWIND_IP = 8, UNWIND_FP = 6, UNWIND_LR = -1 };
// DWARF 0..16: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip (System V ABI, figure 3.36) by index among the sampled.
static const signed char unwind_dwarf[] = {0, 3, 2, 1, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19, 8};
#elif defined(__aarch64__)
enum { UNWIND_SP = 31, UNWIND_IP = 32, UNWIND_FP = 29, UNWIND_LR = 30 };
static const signed char unwind_dwarf[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                           16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
#else
enum { UNWIND_SP = 0, UNWIND_IP = 0, UNWIND_FP = 0, UNWIND_LR = -1 };
static const signed char unwind_dwarf[] = {0};
#endif

#define UNWIND_REGISTER (UINT64_C(1) << 63) // | position in the list: a word that is no word of the stack

// What elfutils knows of the files of all processes that run one program with fixed addresses, or none.
struct unwind_program {
    Dwfl *dwfl;
    const struct unwind_code_file *fixed; // NULL: none
    struct unwind_program *next;
};

enum unwind_meaning {
    UNWIND_ZERO,
    UNWIND_STACK,                  // a place in the stack, by its distance from the stack pointer
    UNWIND_CODE,                   // code, by its shared address
    UNWIND_OWN,                    // means the same in this process only
};

struct unwind_word {
    uint64_t at;                   // distance from the stack pointer, or UNWIND_REGISTER
    uint64_t value;
    uint64_t shared;               // of code: the shared address; else the value
};

struct unwind_memo_word {
    struct unwind_word word;
    enum unwind_meaning meaning;
};

// A remembered walk: this, then its words, then for each address the number of the word that held it.
struct unwind_memo {
    struct unwind_memo *next;      // from the same instruction
    int64_t process;               // that walked ...
    uint64_t code;                 // ... when its maps were these
    size_t words, count;
    bool truncated;
    struct unwind_memo_word data[];
};

// The walk under way, for elfutils' callbacks.
struct unwind_walk_state {
    const struct process *process;
    const struct perf_sample *sample;
    struct unwind_program *program;
    uint64_t *addresses;
    size_t from[UNWIND_MAX_FRAMES]; // of each address, the number of the word that held it
    size_t count, max;
    bool left_stack;
    uint64_t lost[UNWIND_MAX_LOST]; // addresses at which it did so
    size_t lost_count;
    bool is_unclear;               // no word held one of the addresses
    size_t word_count;
    struct unwind_word words[UNWIND_MAX_WORDS];
};

struct unwind {
    struct program_files *files;
    struct unwind_code *code;
    struct unwind_program *programs;
    size_t modules;                // files that elfutils holds
    struct table memos;            // hash of what a walk begins with -> struct unwind_memo *
    size_t memo_bytes;
    struct unwind_walk_state state;
};

// --- words

// Arm signs return addresses, above the bits of an address.
static uint64_t unwind_unsigned(uint64_t value)
{
    return UNWIND_LR >= 0 ? value & UINT64_MAX >> 16 : value;
}

// A return address stands behind its call, which may be the last instruction of its file.
static uint64_t unwind_share(const struct unwind *unwind, const struct process *process, uint64_t value, bool returns)
{
    uint64_t address = unwind_unsigned(value) - returns, shared = unwind_code_share(unwind->code, process, address);
    return shared == address ? value : shared + returns;
}

static bool unwind_is_in_stack(const struct perf_sample *sample, uint64_t value)
{
    return value - sample->regs[UNWIND_SP] <= sample->stack_bytes;
}

// False: it is beyond the copied stack.
static bool unwind_read(const struct perf_sample *sample, uint64_t at, uint64_t *value)
{
    if (at & UNWIND_REGISTER) {
        *value = sample->regs[at & ~UNWIND_REGISTER];
        return true;
    }
    if (at > sample->stack_bytes - sizeof *value)
        return false;
    memcpy(value, sample->stack + at, sizeof *value);
    return true;
}

static void unwind_add_register(struct unwind *unwind, int position)
{
    struct unwind_walk_state *state = &unwind->state;
    if (position < 0)
        return;
    uint64_t value = state->sample->regs[position];
    state->words[state->word_count++] = (struct unwind_word){
        .at = UNWIND_REGISTER | (unsigned)position,
        .value = value,
        .shared = unwind_share(unwind, state->process, value, position == UNWIND_LR),
    };
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

// True if the value may have led the walk out of the copied stack.
static bool unwind_led_out(const struct unwind_walk_state *state, uint64_t value)
{
    for (size_t i = 0; i < state->lost_count && i < UNWIND_MAX_LOST; i++)
        if (state->lost[i] + UNWIND_REACH - value <= 2ULL * UNWIND_REACH)
            return true;
    return state->lost_count > UNWIND_MAX_LOST;
}

// A frame beyond the copied stack has several registers there: it counts once.
static void unwind_lose(struct unwind_walk_state *state, uint64_t address)
{
    state->left_stack = true;
    if (unwind_led_out(state, address))
        return;
    if (state->lost_count < UNWIND_MAX_LOST)
        state->lost[state->lost_count] = address;
    state->lost_count++;
}

static bool unwind_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *argument)
{
    (void)dwfl;
    struct unwind *unwind = argument;
    struct unwind_walk_state *state = &unwind->state;
    uint64_t value, at = address - state->sample->regs[UNWIND_SP];
    if (address < UNWIND_NO_FRAME)
        return false; // the chain of frame pointers ends with 0
    if (at & UNWIND_REGISTER || state->word_count == UNWIND_MAX_READS || !unwind_read(state->sample, at, &value)) {
        unwind_lose(state, address);
        return false;
    }
    uint64_t shared = unwind_share(unwind, state->process, value, true);
    state->words[state->word_count++] = (struct unwind_word){.at = at, .value = value, .shared = shared};
    *result = shared;
    return true;
}

static bool unwind_registers(Dwfl_Thread *thread, void *argument)
{
    const struct unwind *unwind = argument;
    const struct perf_sample *sample = unwind->state.sample;
    Dwarf_Word registers[sizeof unwind_dwarf];
    uint64_t ip = unwind_share(unwind, unwind->state.process, sample->regs[UNWIND_IP], false);
    for (size_t i = 0; i < sizeof unwind_dwarf; i++) {
        registers[i] = sample->regs[unwind_dwarf[i]];
        if (unwind_dwarf[i] == UNWIND_IP)
            registers[i] = ip;
        else if (unwind_dwarf[i] == UNWIND_LR)
            registers[i] = unwind_share(unwind, unwind->state.process, registers[i], true);
    }
    dwfl_thread_state_register_pc(thread, ip);
    return dwfl_thread_state_registers(thread, 0, sizeof unwind_dwarf, registers);
}

static const Dwfl_Thread_Callbacks unwind_thread_callbacks = {
    .next_thread = unwind_next_thread,
    .memory_read = unwind_memory,
    .set_initial_registers = unwind_registers,
};

// Tells elfutils of the file of a shared address, if it does not know it yet.
static void unwind_report(struct unwind *unwind, const struct unwind_program *program, uint64_t address)
{
    if (dwfl_addrmodule(program->dwfl, address))
        return;
    const struct unwind_code_file *file = unwind_code_at(unwind->code, program->fixed, address);
    int fd = file && file->usable ? program_files_descriptor(unwind->files, file->path) : -1;
    if (fd < 0)
        return;
    dwfl_report_begin_add(program->dwfl);
    if (dwfl_report_elf(program->dwfl, file->path, file->path, fd, file->base, true))
        unwind->modules++; // elfutils has the descriptor
    else
        close(fd);
    dwfl_report_end(program->dwfl, NULL, NULL);
}

static bool unwind_is_of_word(const struct unwind_word *word, uint64_t address)
{
    return word->shared == address ||
           (address < UNWIND_CODE_SHARED && unwind_unsigned(word->value) == unwind_unsigned(address));
}

static int unwind_frame(Dwfl_Frame *frame, void *argument)
{
    struct unwind *unwind = argument;
    struct unwind_walk_state *state = &unwind->state;
    Dwarf_Addr pc;
    if (!dwfl_frame_pc(frame, &pc, NULL) || pc == 0 || state->count == state->max)
        return DWARF_CB_ABORT;
    size_t held = state->word_count;
    while (held > 0 && !unwind_is_of_word(&state->words[held - 1], pc))
        held--;
    if (held == 0 && pc >= UNWIND_CODE_SHARED)
        return DWARF_CB_ABORT; // nobody tells its address in the process
    state->is_unclear |= held == 0;
    unwind_report(unwind, state->program, pc);
    state->from[state->count] = held - 1;
    state->addresses[state->count++] = held > 0 ? unwind_unsigned(state->words[held - 1].value) : pc;
    return DWARF_CB_OK;
}

// --- programs

// elfutils takes the architecture from a module, so there must be one: the module of the sampled code, or for code made
// at run time the first one that is known.
static bool unwind_attach(struct unwind *unwind, const struct unwind_program *program, const struct process *process,
                          uint64_t ip)
{
    unwind_report(unwind, program, unwind_share(unwind, process, ip, false));
    for (size_t i = 0; i <= process->space.count; i++) {
        if (dwfl_attach_state(program->dwfl, NULL, process->pid, &unwind_thread_callbacks, unwind))
            return true;
        if (i < process->space.count)
            unwind_report(unwind, program, unwind_share(unwind, process, process->space.items[i].start, false));
    }
    return false;
}

static void unwind_forget_programs(struct unwind *unwind)
{
    while (unwind->programs) {
        struct unwind_program *program = unwind->programs;
        unwind->programs = program->next;
        dwfl_end(program->dwfl);
        free(program);
    }
    unwind->modules = 0;
}

static struct unwind_program *unwind_find_program(struct unwind *unwind, const struct unwind_code_file *fixed,
                                                  const struct process *process, uint64_t ip)
{
    if (unwind->modules >= UNWIND_MAX_MODULES)
        unwind_forget_programs(unwind);
    for (struct unwind_program *program = unwind->programs; program; program = program->next)
        if (program->fixed == fixed)
            return program;
    struct unwind_program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->fixed = fixed;
    program->dwfl = dwfl_begin(&debug_files_bare); // call frame information, .eh_frame, is in the file itself
    if (!program->dwfl || !unwind_attach(unwind, program, process, ip)) {
        dwfl_end(program->dwfl);
        free(program);
        return NULL;
    }
    program->next = unwind->programs;
    unwind->programs = program;
    return program;
}

// --- memory of earlier walks

// A frame pointer that does not lead into the stack is none, and 0 ends the chain of them.
static uint64_t unwind_key(const struct unwind *unwind, const struct unwind_code_file *fixed,
                           const struct process *process, const struct perf_sample *sample)
{
    uint64_t fp = sample->regs[UNWIND_FP];
    uint64_t key = table_mix((uintptr_t)fixed, unwind_share(unwind, process, sample->regs[UNWIND_IP], false));
    return table_mix(key, unwind_is_in_stack(sample, fp) ? fp - sample->regs[UNWIND_SP] : UINT64_MAX - (fp == 0));
}

static size_t *unwind_memo_from(const struct unwind_memo *memo)
{
    return (size_t *)(memo->data + memo->words);
}

static bool unwind_means_the_same(const struct unwind *unwind, const struct unwind_memo *memo,
                                  const struct unwind_memo_word *known, const struct process *process, uint64_t value,
                                  uint64_t sp)
{
    bool same_process = memo->process == process->id && memo->code == process->space.code;
    switch (known->meaning) {
    case UNWIND_ZERO:
        return value == 0;
    case UNWIND_STACK:
        return value - sp == known->word.value;
    case UNWIND_CODE:
        if (same_process && value == known->word.value)
            return true;
        return unwind_share(unwind, process, value, known->word.at != (UNWIND_REGISTER | UNWIND_IP)) ==
               known->word.shared;
    case UNWIND_OWN:
    default:
        return same_process && value == known->word.value;
    }
}

static bool unwind_is_alike(const struct unwind *unwind, const struct unwind_memo *memo, const struct process *process,
                            const struct perf_sample *sample)
{
    uint64_t value;
    for (size_t i = 0; i < memo->words; i++)
        if (!unwind_read(sample, memo->data[i].word.at, &value) ||
            !unwind_means_the_same(unwind, memo, &memo->data[i], process, value, sample->regs[UNWIND_SP]))
            return false;
    return true;
}

static const struct unwind_memo *unwind_recall(const struct unwind *unwind, uint64_t key, const struct process *process,
                                               const struct perf_sample *sample)
{
    uint64_t value = 0;
    table_get(&unwind->memos, key, &value);
    for (const struct unwind_memo *memo = (const struct unwind_memo *)(uintptr_t)value; memo; memo = memo->next)
        if (unwind_is_alike(unwind, memo, process, sample))
            return memo;
    return NULL;
}

static size_t unwind_repeat(const struct unwind_memo *memo, const struct perf_sample *sample, uint64_t *addresses,
                            size_t max)
{
    size_t count = memo->count < max ? memo->count : max;
    for (size_t i = 0; i < count; i++) {
        unwind_read(sample, memo->data[unwind_memo_from(memo)[i]].word.at, &addresses[i]);
        addresses[i] = unwind_unsigned(addresses[i]);
    }
    return count;
}

static void unwind_forget_chain(struct unwind_memo *memo)
{
    while (memo) {
        struct unwind_memo *next = memo->next;
        free(memo);
        memo = next;
    }
}

static void unwind_forget_memos(struct unwind *unwind)
{
    uint64_t key, value;
    for (size_t at = 0; table_next(&unwind->memos, &at, &key, &value);)
        unwind_forget_chain((struct unwind_memo *)(uintptr_t)value);
    table_free(&unwind->memos);
    unwind->memo_bytes = 0;
}

static bool unwind_holds_address(const struct unwind_walk_state *state, const struct unwind_word *word)
{
    for (size_t i = 0; i < state->count; i++)
        if (word->shared == state->words[state->from[i]].shared)
            return true;
    return false;
}

// What a word means, if a walk depends on it: return addresses, places in the stack, and what led out of the copied
// part of it. Other values are saved registers, such as loop counters, and differ in each sample.
static bool unwind_depends(const struct unwind_walk_state *state, const struct unwind_word *word,
                           enum unwind_meaning *meaning)
{
    bool is_code = unwind_holds_address(state, word), led_out = unwind_led_out(state, word->value);
    uint64_t distance = word->value - state->sample->regs[UNWIND_SP];
    const struct unwind_code_file *fixed = state->program->fixed;
    *meaning = UNWIND_OWN;
    if (word->value == 0)
        *meaning = UNWIND_ZERO;
    else if (distance <= (led_out ? (uint64_t)UNWIND_STACK_REACH : state->sample->stack_bytes))
        *meaning = UNWIND_STACK;
    else if (word->shared >= UNWIND_CODE_SHARED || (fixed && word->value >= fixed->start && word->value < fixed->end))
        *meaning = UNWIND_CODE;
    return is_code || led_out || *meaning == UNWIND_ZERO || *meaning == UNWIND_STACK;
}

static void unwind_fill_memo(struct unwind_memo *memo, const struct unwind_walk_state *state)
{
    size_t kept[UNWIND_MAX_WORDS] = {0};
    for (size_t i = 0; i < state->word_count; i++) {
        struct unwind_memo_word word = {.word = state->words[i]};
        if (!unwind_depends(state, &state->words[i], &word.meaning))
            continue;
        if (word.meaning == UNWIND_STACK)
            word.word.value -= state->sample->regs[UNWIND_SP];
        kept[i] = memo->words;
        memo->data[memo->words++] = word;
    }
    for (size_t i = 0; i < state->count; i++)
        unwind_memo_from(memo)[i] = kept[state->from[i]];
}

// The oldest walks of an instruction make room.
static void unwind_shorten(struct unwind_memo *memo)
{
    for (int i = 1; memo && i < UNWIND_MEMO_CHAIN; i++)
        memo = memo->next;
    if (!memo)
        return;
    unwind_forget_chain(memo->next);
    memo->next = NULL;
}

static void unwind_remember(struct unwind *unwind, uint64_t key)
{
    const struct unwind_walk_state *state = &unwind->state;
    size_t bytes = sizeof(struct unwind_memo) + state->word_count * sizeof(struct unwind_memo_word) +
                   state->count * sizeof *state->from;
    if (state->is_unclear || state->count == 0)
        return;
    if (unwind->memo_bytes + bytes > UNWIND_MEMO_BYTES)
        unwind_forget_memos(unwind);
    struct unwind_memo *memo = malloc(bytes);
    if (!memo)
        return;
    uint64_t others = 0;
    table_get(&unwind->memos, key, &others);
    *memo = (struct unwind_memo){.next = (struct unwind_memo *)(uintptr_t)others,
                                 .process = state->process->id,
                                 .code = state->process->space.code,
                                 .count = state->count,
                                 .truncated = state->left_stack};
    unwind_fill_memo(memo, state);
    if (table_put(&unwind->memos, key, (uintptr_t)memo) < 0) {
        free(memo);
        return;
    }
    unwind_shorten(memo);
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
    if (!unwind)
        return NULL;
    *unwind = (struct unwind){.files = files, .code = unwind_code_open(files)};
    if (unwind->code)
        return unwind;
    free(unwind);
    return NULL;
}

void unwind_close(struct unwind *unwind)
{
    if (!unwind)
        return;
    unwind_forget_programs(unwind);
    unwind_forget_memos(unwind);
    unwind_code_close(unwind->code);
    free(unwind);
}

size_t unwind_walk(struct unwind *unwind, const struct process *process, const struct perf_sample *sample,
                   uint64_t *addresses, size_t max, bool *truncated)
{
    if (!sample->regs || sample->stack_bytes < sizeof(uint64_t))
        return 0;
    const struct unwind_code_file *fixed = unwind_code_enter(unwind->code, process);
    uint64_t key = unwind_key(unwind, fixed, process, sample);
    const struct unwind_memo *memo = unwind_recall(unwind, key, process, sample);
    if (memo) {
        size_t count = unwind_repeat(memo, sample, addresses, max);
        *truncated = memo->truncated || count < memo->count;
        return count;
    }
    struct unwind_walk_state *state = &unwind->state;
    *state = (struct unwind_walk_state){.process = process,
                                        .sample = sample,
                                        .addresses = addresses,
                                        .max = max < UNWIND_MAX_FRAMES ? max : UNWIND_MAX_FRAMES};
    state->program = unwind_find_program(unwind, fixed, process, sample->regs[UNWIND_IP]);
    if (!state->program)
        return 0;
    unwind_add_register(unwind, UNWIND_IP);
    unwind_add_register(unwind, UNWIND_LR);
    unwind_report(unwind, state->program, state->words[0].shared);
    dwfl_getthread_frames(state->program->dwfl, 1, unwind_frame, unwind);
    unwind_add_register(unwind, UNWIND_FP);
    *truncated = state->left_stack || state->count == state->max;
    unwind_remember(unwind, key);
    return state->count;
}
