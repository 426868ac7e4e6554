// SPDX-License-Identifier: Apache-2.0
// Large blocks of memory, as the preload library tells of them: they become objects, by the call path that asked.
#include <stdlib.h>
#include <string.h>

#include "collectors/heap/alloc_record.h"
#include "core/system/clock.h"
#include "profiler/recorder/namespaces.h"
#include "profiler/recorder/session.h"

// One ring of a process. The stream is the first member: the handler finds its way back.
struct block_stream {
    struct perf_stream stream;
    struct process *process;         // NULL: it has ended
    uint64_t lost_frees;             // as last seen
    struct block_stream *next;       // of those to be closed
};

static const char *blocks_path(const struct process *process, uint64_t address)
{
    const struct mapping *mapping = address_space_find(&process->space, address);
    return mapping ? mapping->path : NULL;
}

// The innermost frames are the library's own: it is what writes the records.
static size_t blocks_skip_own(const struct process *process, const uint64_t *addresses, size_t count)
{
    const char *library = count > 0 ? blocks_path(process, addresses[0]) : NULL;
    size_t own = 0;
    while (own < count && library && blocks_path(process, addresses[own]) == library)
        own++;
    return own;
}

// Libraries that were opened since the mappings were read, where the kernel does not tell of them.
static bool blocks_reread_maps(struct session *session, struct process *process, uint64_t time)
{
    enum { EVERY_MS = 50 };
    if (session->fault_source_count > 0 || time < process->maps_read_at + EVERY_MS * CLOCK_MS)
        return false;
    process->maps_read_at = time;
    address_space_clear(&process->space);
    return address_space_read(&process->space, &session->tasks.paths, process->pid) == 0;
}

static bool blocks_knows_all(const struct process *process, const uint64_t *addresses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!blocks_path(process, addresses[i]))
            return false;
    return count > 0;
}

static int64_t blocks_stack(struct session *session, struct process *process, const struct perf_sample *where,
                            uint64_t time)
{
    uint64_t addresses[CALL_STACKS_MAX_DEPTH];
    bool truncated = false;
    size_t count = unwind_walk(session->unwind, process, where, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    if (!blocks_knows_all(process, addresses, count) && blocks_reread_maps(session, process, time))
        count = unwind_walk(session->unwind, process, where, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    size_t own = blocks_skip_own(process, addresses, count);
    uint64_t key = table_mix((uint64_t)process->id, process->space.code);
    if (own == count)
        return RECORDING_NULL;
    // What is first now is a return address: the call stands before it.
    addresses[own] -= own > 0;
    return call_stacks_intern(&session->stacks, &process->space, key, addresses + own, count - own, truncated);
}

static int64_t blocks_thread(const struct session *session, const struct process *process, uint32_t inner)
{
    pid_t tid = process->other_namespace ? namespaces_outer_tid(process->pid, (pid_t)inner) : (pid_t)inner;
    const struct thread *thread = tasks_thread(&session->tasks, tid);
    return thread ? thread->id : RECORDING_NULL;
}

static uint64_t blocks_since(const struct alloc_event *event, uint64_t time)
{
    return event->since > 0 && event->since < time ? event->since : time;
}

// --- variables of threads

struct blocks_locals {
    struct session *session;
    struct process *process;
    const struct alloc_event *event;
    uint64_t time;
};

static void blocks_take_local(void *owner, const struct objects_variable *variable)
{
    const struct blocks_locals *locals = owner;
    const struct alloc_event *event = locals->event;
    if (variable->start >= event->bytes || variable->bytes > event->bytes - variable->start)
        return; // not the file that was loaded
    const struct objects_block block = {
        .address = event->address + variable->start,
        .bytes = variable->bytes,
        .since = blocks_since(event, locals->time),
        .kind = "tls",
        .name = variable->name,
        .stack = RECORDING_NULL,
        .thread = blocks_thread(locals->session, locals->process, event->tid),
    };
    objects_allocated(&locals->session->objects, locals->process, &block);
}

static void blocks_locals(struct session *session, struct process *process, const struct alloc_event *event,
                          uint64_t time)
{
    uint64_t module;
    if (event->where.stack_bytes != sizeof module)
        return;
    memcpy(&module, event->where.stack, sizeof module);
    const struct mapping *mapping = address_space_find(&process->space, module);
    struct blocks_locals locals = {.session = session, .process = process, .event = event, .time = time};
    if (mapping)
        variables_each_local(session->variables, mapping->path, blocks_take_local, &locals);
}

// --- blocks

static void blocks_allocated(struct session *session, struct process *process, const struct alloc_event *event,
                             uint64_t time)
{
    static const char *const kinds[ALLOC_KINDS] = {
        [ALLOC_HEAP] = "heap", [ALLOC_MAPPING] = "mapping", [ALLOC_SHARED] = "shared",
        [ALLOC_HUGE] = "huge", [ALLOC_STACK] = "stack",     [ALLOC_TLS] = "tls"};
    const struct objects_block block = {
        .address = event->address,
        .bytes = event->bytes,
        .since = blocks_since(event, time),
        .kind = kinds[event->kind],
        .name = event->kind == ALLOC_STACK ? "[thread stack]" : NULL,
        .stack = blocks_stack(session, process, &event->where, time),
        .thread = blocks_thread(session, process, event->tid),
    };
    // For the symbols: a block weighs as much as touching it once. No more: sizes may be absurd.
    uint64_t pages = event->bytes / session->pages.page_bytes;
    call_stacks_weigh(&session->stacks, block.stack, pages < UINT32_MAX ? pages : UINT32_MAX);
    objects_allocated(&session->objects, process, &block);
}

static void blocks_record(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    struct block_stream *blocks = (struct block_stream *)stream;
    struct session *session = stream->owner;
    struct process *process = blocks->process;
    struct alloc_event event;
    if (!process)
        return;
    if (alloc_record_read(header, &event) < 0) {
        session->losses.malformed++;
        return;
    }
    uint64_t lost_frees = alloc_record_lost_frees(&stream->ring);
    if (lost_frees != blocks->lost_frees)
        objects_forget_heap(&session->objects, process, time);
    blocks->lost_frees = lost_frees;
    if (event.is_freed && event.kind == ALLOC_HEAP)
        objects_freed(&session->objects, process, event.address, time);
    else if (event.is_freed && event.kind == ALLOC_TLS)
        objects_freed_range(&session->objects, process, event.address, event.bytes, time);
    else if (event.is_freed)
        objects_unmapped(&session->objects, process, event.address, event.bytes, time);
    else if (event.kind == ALLOC_TLS)
        blocks_locals(session, process, &event, time);
    else
        blocks_allocated(session, process, &event, time);
}

void session_open_blocks(struct session *session, struct process *process, int fd)
{
    struct block_stream *blocks = calloc(1, sizeof *blocks);
    session_close_blocks(session, process); // of the program that ran here before
    if (!blocks || alloc_record_map(&blocks->stream.ring, fd) < 0) {
        free(blocks);
        return;
    }
    blocks->stream.layout = ALLOC_LAYOUT;
    blocks->stream.handle = blocks_record;
    blocks->stream.owner = session;
    blocks->process = process;
    process->blocks = blocks;
    session_add_stream(session, &blocks->stream);
}

// The stream itself goes after the drain, which may be under way.
void session_close_blocks(struct session *session, struct process *process)
{
    struct block_stream *blocks = process->blocks;
    if (!blocks)
        return;
    process->blocks = NULL;
    blocks->process = NULL;
    blocks->next = session->closing_blocks;
    session->closing_blocks = blocks;
}

void session_close_ended_blocks(struct session *session)
{
    struct block_stream *blocks;
    while ((blocks = session->closing_blocks)) {
        session->closing_blocks = blocks->next;
        session->losses.blocks += alloc_record_lost(&blocks->stream.ring);
        session_remove_stream(session, &blocks->stream);
        perf_ring_unmap(&blocks->stream.ring);
        free(blocks);
    }
}

void session_close_all_blocks(struct session *session)
{
    uint64_t pid, value;
    for (size_t at = 0; table_next(&session->tasks.processes, &at, &pid, &value);)
        session_close_blocks(session, (struct process *)(uintptr_t)value);
    session_close_ended_blocks(session);
}

void session_note_blocks(struct session *session)
{
    bool is_static = session->target->kind == ELF_KIND_STATIC;
    if (session->target->kind != ELF_KIND_GLIBC || !session->has_channel)
        session_note(session, "objects", RECORDING_NULL, is_static ? "link it dynamically" : NULL,
                     "allocations are not seen%s: memory is named by variable and mapping only",
                     is_static ? " in a static program" : "");
    if (session->own_allocators > 0)
        session_note(session, "objects", session->own_allocators, NULL,
                     "the program brings its own malloc: of its heap only what that maps is seen, not single blocks");
    if (session->objects.unwritten > 0)
        session_note(session, "instances", (int64_t)session->objects.unwritten, NULL,
                     "%llu %s of calls that made more than %d: counted, but recorded only where sampled",
                     (unsigned long long)session->objects.unwritten, session->objects.unwritten == 1 ? "block" : "blocks",
                     OBJECTS_BLOCKS_OF_ONE);
}
