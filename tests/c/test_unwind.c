// SPDX-License-Identifier: Apache-2.0
// Walks of one program that two processes run, each with its own addresses.
#include <dirent.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "profiler/symbols/unwind.h"
#include "tests/c/check.h"

enum { REGISTERS = 33, STACK_BYTES = 4096, CODE_SHIFT = 1 << 24, STACK_SHIFT = 1 << 20 };

// What a sample of this program holds.
struct taken {
    uint64_t registers[REGISTERS], stack[STACK_BYTES / sizeof(uint64_t)];
    struct perf_sample sample;
};

#if defined(__x86_64__)
enum { SP = 7 };
static void take_registers(uint64_t *registers, const mcontext_t *context)
{
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        registers[i] = (uint64_t)context->gregs[order[i]];
}
#else
enum { SP = 31 };
static void take_registers(uint64_t *registers, const mcontext_t *context)
{
    memcpy(registers, context->regs, 31 * sizeof *registers);
    registers[SP] = context->sp;
    registers[SP + 1] = context->pc;
}
#endif

static void point_sample(struct taken *taken)
{
    taken->sample = (struct perf_sample){.regs = taken->registers,
                                         .stack = (const char *)taken->stack,
                                         .stack_bytes = sizeof taken->stack};
}

// The frames of the callers are whole: this one's is read from its registers.
__attribute__((noinline)) static void take(struct taken *taken)
{
    ucontext_t context;
    getcontext(&context);
    take_registers(taken->registers, &context.uc_mcontext);
    // As another process reads it: the sanitizer's zones between variables are part of a stack.
    const struct iovec to = {.iov_base = taken->stack, .iov_len = sizeof taken->stack};
    const struct iovec from = {.iov_base = (void *)(uintptr_t)taken->registers[SP], .iov_len = sizeof taken->stack};
    CHECK(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof taken->stack);
    point_sample(taken);
}

__attribute__((noinline)) static void take_deeper(struct taken *taken, int depth)
{
    if (depth == 0)
        take(taken);
    else
        take_deeper(taken, depth - 1);
    __asm__ volatile("" : : "r"(depth) : "memory"); // no tail call, and no loop
}

static uint64_t moved(const struct process *process, const struct taken *taken, uint64_t value)
{
    const struct mapping *mapping = address_space_find(&process->space, value);
    if (value - taken->registers[SP] <= sizeof taken->stack)
        return value + STACK_SHIFT;
    return mapping && mapping->executable && *mapping->path == '/' ? value + CODE_SHIFT : value;
}

// The same moment in a process that has the files and the stack elsewhere.
static void move(const struct process *process, const struct taken *from, struct taken *to)
{
    for (size_t i = 0; i < REGISTERS; i++)
        to->registers[i] = moved(process, from, from->registers[i]);
    for (size_t i = 0; i < sizeof from->stack / sizeof *from->stack; i++)
        to->stack[i] = moved(process, from, from->stack[i]);
    point_sample(to);
}

static void map_elsewhere(struct process *process, const struct process *from)
{
    for (size_t i = 0; i < from->space.count; i++) {
        struct mapping mapping = from->space.items[i];
        mapping.start += *mapping.path == '/' ? CODE_SHIFT : 0;
        mapping.end += *mapping.path == '/' ? CODE_SHIFT : 0;
        address_space_add(&process->space, mapping);
    }
}

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

TEST(unwind_moves_with_the_addresses_of_a_process)
{
    char room[STACK_BYTES] = {0}; // what is copied is stack, however little there is above this frame
    struct intern *paths = NULL;
    __asm__ volatile("" : : "r"(room) : "memory");
    struct program_files *files = program_files_new();
    struct unwind *unwind = unwind_open(files), *alone = unwind_open(files);
    struct process one = {.id = 1, .pid = getpid(), .space = {.pid = getpid()}}, other = {.id = 2, .pid = getpid()};
    CHECK(unwind && alone && address_space_read(&one.space, &paths, getpid()) == 0);
    map_elsewhere(&other, &one);
    for (int depth = 0; depth < 20; depth++) { // each has its own path from the same instruction
        static struct taken here, there;
        uint64_t first[64], second[64], by_itself[64];
        bool truncated;
        take_deeper(&here, depth);
        move(&one, &here, &there);
        size_t count = unwind_walk(unwind, &one, &here.sample, first, 64, &truncated);
        CHECK(count >= (size_t)depth + 3);
        int descriptors = count_descriptors();
        CHECK_EQ(unwind_walk(unwind, &other, &there.sample, second, 64, &truncated), count);
        CHECK_EQ(count_descriptors(), descriptors); // no file is read anew
        CHECK_EQ(unwind_walk(alone, &other, &there.sample, by_itself, 64, &truncated), count);
        for (size_t i = 0; i < count; i++) {
            CHECK_EQ(second[i], moved(&one, &here, first[i]));
            CHECK_EQ(by_itself[i], second[i]);
        }
    }
    address_space_clear(&one.space);
    address_space_clear(&other.space);
    unwind_close(unwind);
    unwind_close(alone);
    program_files_free(files);
    intern_free(paths);
}
