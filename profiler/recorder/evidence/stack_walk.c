// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/stack_walk.h"

#include <errno.h>
#include <string.h>

#include "core/process/shrunk_file.h"
#include "profiler/recorder/run/note.h"

int stack_walk_open(struct stack_walk *walk)
{
    shrunk_file_tolerate(); // libelf maps the program's files
    *walk = (struct stack_walk){.files = program_files_new()};
    walk->unwind = walk->files ? unwind_open(walk->files) : NULL;
    return walk->unwind ? 0 : -ENOMEM;
}

void stack_walk_close(struct stack_walk *walk)
{
    call_stacks_free(&walk->stacks);
    unwind_close(walk->unwind);
    program_files_free(walk->files);
}

// Frames that the kernel's walk by frame pointers found, without its marks between kernel and user. Code that keeps
// data in that register ends it: what is no code is no frame.
static size_t stack_walk_chain(const struct process *process, const struct perf_sample *sample, uint64_t *addresses,
                            size_t max, bool *truncated)
{
    size_t count = 0;
    for (uint64_t i = 0; i < sample->chain_count; i++) {
        if (sample->chain[i] >= PERF_CONTEXT_MAX && sample->chain[i] != UINT64_MAX)
            continue;
        const struct mapping *mapping = count > 0 ? address_space_find(&process->space, sample->chain[i]) : NULL;
        if (count > 0 && !(mapping && mapping->executable))
            break;
        if (count == max) {
            *truncated = true;
            break;
        }
        addresses[count++] = sample->chain[i];
    }
    return count;
}

// Frame pointers go on where the copied stack ended, in programs that have them. Returns how many frames there are now.
static size_t stack_walk_go_on(const struct process *process, const struct perf_sample *sample, uint64_t *addresses,
                            size_t count, size_t max)
{
    uint64_t chain[CALL_STACKS_MAX_DEPTH];
    bool chain_truncated = false;
    size_t chain_count = stack_walk_chain(process, sample, chain, CALL_STACKS_MAX_DEPTH, &chain_truncated);
    for (size_t i = 0; i < chain_count; i++) {
        if (chain[i] != addresses[count - 1])
            continue;
        size_t more = chain_count - i - 1 < max - count ? chain_count - i - 1 : max - count;
        memcpy(addresses + count, chain + i + 1, more * sizeof *addresses);
        return count + more;
    }
    return count;
}

// A thread's stack (and its thread-local variables, behind it) is an anonymous mapping like many others: what tells it
// is a stack pointer near its end.
static void stack_walk_mark_stack(const struct process *process, const struct perf_sample *sample)
{
    enum { NEAR_BYTES = 256 << 10 };
    uint64_t pointer = unwind_stack_pointer(sample);
    struct mapping *mapping = pointer ? address_space_find(&process->space, pointer) : NULL;
    if (mapping && mapping->kind == MAPPING_ANONYMOUS && mapping->end - pointer < NEAR_BYTES && mapping->block == 0)
        mapping->is_thread_stack = true;
}

// What the kernel was asked for begins in it: a read() that touches the pages it fills, say.
static size_t stack_walk_put_kernel(const struct perf_sample *sample, uint64_t *addresses, size_t count, size_t max)
{
    if (!sample->in_kernel)
        return count;
    count = count < max ? count : max - 1;
    memmove(addresses + 1, addresses, count * sizeof *addresses);
    addresses[0] = sample->ip;
    return count + 1;
}

int64_t stack_walk_sample(struct stack_walk *walk, const struct process *process, const struct perf_sample *sample)
{
    uint64_t addresses[CALL_STACKS_MAX_DEPTH];
    bool truncated = false;
    stack_walk_mark_stack(process, sample);
    size_t count = unwind_walk(walk->unwind, process, sample, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    if (count == 0)
        count = stack_walk_chain(process, sample, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    else if (truncated)
        count = stack_walk_go_on(process, sample, addresses, count, CALL_STACKS_MAX_DEPTH);
    count = stack_walk_put_kernel(sample, addresses, count, CALL_STACKS_MAX_DEPTH);
    uint64_t key = table_mix((uint64_t)process->id, process->space.code);
    return call_stacks_intern(&walk->stacks, &process->space, key, addresses, count, truncated);
}

void stack_walk_finish(const struct stack_walk *walk, const struct tasks *tasks)
{
    note_count(tasks, "stacks", walk->stacks.refused, NULL, "sample has no call stack: too many different ones",
               "samples have no call stack: too many different ones");
}
