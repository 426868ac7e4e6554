// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/allocations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/heap/alloc_record.h"
#include "core/system/clock.h"
#include "collectors/processes/namespaces.h"

// One ring of a process. The stream is the first member: the handler finds its way back.
struct allocation_stream {
    struct perf_stream stream;
    struct process *process;         // NULL: it has ended
    uint32_t lost_frees;             // as last seen
};

static const char *allocations_path(const struct process *process, uint64_t address)
{
    const struct mapping *mapping = address_space_find(&process->space, address);
    return mapping ? mapping->path : NULL;
}

// The innermost frames are the library's own: it is what writes the records.
static size_t allocations_skip_own(const struct process *process, const uint64_t *addresses, size_t count)
{
    const char *library = count > 0 ? allocations_path(process, addresses[0]) : NULL;
    size_t own = 0;
    while (own < count && library && allocations_path(process, addresses[own]) == library)
        own++;
    return own;
}

// Libraries that were opened since the mappings were read, where the kernel does not tell of them.
static bool allocations_reread_maps(struct allocations *allocations, struct process *process, uint64_t time)
{
    enum { EVERY_MS = 50 };
    if (allocations->tasks->has_kernel_records || time < process->maps_read_at + EVERY_MS * CLOCK_MS)
        return false;
    process->maps_read_at = time;
    address_space_clear(&process->space);
    return address_space_read(&process->space, &allocations->tasks->paths, process->shown) == 0;
}

static bool allocations_knows_all(const struct process *process, const uint64_t *addresses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!allocations_path(process, addresses[i]))
            return false;
    return count > 0;
}

static int64_t allocations_stack(struct allocations *allocations, struct process *process,
                                 const struct perf_sample *where, uint64_t time)
{
    uint64_t addresses[CALL_STACKS_MAX_DEPTH];
    bool truncated = false;
    size_t count = unwind_walk(allocations->walk->unwind, process, where, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    if (!allocations_knows_all(process, addresses, count) && allocations_reread_maps(allocations, process, time))
        count = unwind_walk(allocations->walk->unwind, process, where, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    size_t own = allocations_skip_own(process, addresses, count);
    uint64_t key = table_mix((uint64_t)process->id, process->space.code);
    if (own == count)
        return RECORDING_NULL;
    // What is first now is a return address: the call stands before it.
    addresses[own] -= own > 0;
    return call_stacks_intern(&allocations->walk->stacks, &process->space, key, addresses + own, count - own,
                              truncated);
}

static int64_t allocations_thread(const struct allocations *allocations, const struct process *process, uint32_t inner)
{
    pid_t tid = process->other_namespace ? namespaces_outer_tid(process->pid, (pid_t)inner) : (pid_t)inner;
    const struct thread *thread = tasks_thread(allocations->tasks, tid);
    return thread ? thread->id : RECORDING_NULL;
}

static uint64_t allocations_since(const struct alloc_event *event, uint64_t time)
{
    return event->since > 0 && event->since < time ? event->since : time;
}

// --- variables of threads

struct allocations_locals {
    struct allocations *allocations;
    struct process *process;
    const struct alloc_event *event;
    uint64_t time;
};

static void allocations_take_local(void *owner, const struct objects_variable *variable)
{
    const struct allocations_locals *locals = owner;
    const struct alloc_event *event = locals->event;
    if (variable->start >= event->bytes || variable->bytes > event->bytes - variable->start)
        return; // not the file that was loaded
    const struct objects_block block = {
        .address = event->address + variable->start,
        .bytes = variable->bytes,
        .since = allocations_since(event, locals->time),
        .kind = "tls",
        .name = variable->name,
        .stack = RECORDING_NULL,
        .thread = allocations_thread(locals->allocations, locals->process, event->tid),
    };
    objects_allocated(&locals->allocations->objects, locals->process, &block);
}

static void allocations_locals(struct allocations *allocations, struct process *process,
                               const struct alloc_event *event,
                          uint64_t time)
{
    uint64_t module;
    if (event->where.stack_bytes != sizeof module)
        return;
    memcpy(&module, event->where.stack, sizeof module);
    const struct mapping *mapping = address_space_find(&process->space, module);
    struct allocations_locals locals = {.allocations = allocations, .process = process, .event = event, .time = time};
    if (mapping)
        variables_each_local(allocations->variables, mapping->path, allocations_take_local, &locals);
}

// --- records

static void allocations_allocated(struct allocations *allocations, struct process *process,
                                  const struct alloc_event *event,
                             uint64_t time)
{
    static const char *const kinds[ALLOC_KINDS] = {
        [ALLOC_HEAP] = "heap", [ALLOC_MAPPING] = "mapping", [ALLOC_SHARED] = "shared",
        [ALLOC_HUGE] = "huge", [ALLOC_STACK] = "stack",     [ALLOC_TLS] = "tls",
        [ALLOC_MOVED] = "mapping"};
    const struct objects_block block = {
        .address = event->address,
        .bytes = event->bytes,
        .since = allocations_since(event, time),
        .kind = kinds[event->kind],
        .name = event->kind == ALLOC_STACK ? "[thread stack]" : NULL,
        .stack = allocations_stack(allocations, process, &event->where, time),
        .thread = allocations_thread(allocations, process, event->tid),
    };
    // For the symbols: a block weighs as much as touching it once. No more: sizes may be absurd.
    uint64_t pages = event->bytes / allocations->page_bytes;
    call_stacks_weigh(&allocations->walk->stacks, block.stack, pages < UINT32_MAX ? pages : UINT32_MAX);
    objects_allocated(&allocations->objects, process, &block);
}

// A lost free may be that of any heap block that was allocated before it. Records of two writers may stand in the other
// order than they counted losses.
static void allocations_see_losses(struct allocations *allocations, struct allocation_stream *ring, uint32_t lost_frees,
                                   uint64_t time)
{
    if ((int32_t)(lost_frees - ring->lost_frees) <= 0)
        return;
    objects_forget_heap(&allocations->objects, ring->process, time);
    ring->lost_frees = lost_frees;
}

// mremap(2) of a file, or of memory that nobody told of, makes no object.
static void allocations_moving(struct allocations *allocations, struct process *process,
                               const struct alloc_event *event, uint64_t time)
{
    const uint64_t thread = table_mix((uint64_t)process->id, event->tid);
    if (objects_is_mapped(process, event->address))
        table_remove(&allocations->moving, thread);
    else
        table_put(&allocations->moving, thread, 1); // without memory for it: an object too many
    objects_unmapped(&allocations->objects, process, event->address, event->bytes, time);
}

static void allocations_moved(struct allocations *allocations, struct process *process, const struct alloc_event *event,
                              uint64_t time)
{
    if (table_remove(&allocations->moving, table_mix((uint64_t)process->id, event->tid)))
        objects_unmapped(&allocations->objects, process, event->address, event->bytes, time);
    else
        allocations_allocated(allocations, process, event, time);
}

static void allocations_record(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    struct allocation_stream *ring = (struct allocation_stream *)stream;
    struct allocations *allocations = stream->owner;
    struct process *process = ring->process;
    struct alloc_event event;
    if (!process)
        return;
    if (alloc_record_read(header, &event) < 0) {
        allocations->losses->malformed++;
        return;
    }
    allocations_see_losses(allocations, ring, event.lost_frees, time);
    if (event.is_freed && event.kind == ALLOC_HEAP)
        objects_freed(&allocations->objects, process, event.address, time);
    else if (event.is_freed && event.kind == ALLOC_TLS)
        objects_freed_range(&allocations->objects, process, event.address, event.bytes, time);
    else if (event.is_freed && event.kind == ALLOC_MOVED)
        allocations_moving(allocations, process, &event, time);
    else if (event.is_freed)
        objects_unmapped(&allocations->objects, process, event.address, event.bytes, time);
    else if (event.kind == ALLOC_MOVED)
        allocations_moved(allocations, process, &event, time);
    else if (event.kind == ALLOC_TLS)
        allocations_locals(allocations, process, &event, time);
    else
        allocations_allocated(allocations, process, &event, time);
}

// --- rings

// After the drain, which may be under way when the process ends.
static void allocations_close_stream(struct perf_stream *stream)
{
    struct allocations *allocations = stream->owner;
    perf_ring_refresh(&stream->ring);
    bool is_cut = stream->ring.next < stream->ring.head; // the process was killed while a thread wrote a record
    allocations->lost += alloc_record_lost(&stream->ring) + is_cut;
    perf_ring_unmap(&stream->ring);
    free(stream);
}

static int allocations_add_ring(struct allocations *allocations, struct process *process, int fd)
{
    struct allocation_stream *ring = calloc(1, sizeof *ring);
    int status = ring ? alloc_record_map(&ring->stream.ring, fd) : -ENOMEM;
    if (status < 0) {
        free(ring);
        return status;
    }
    ring->stream.layout = ALLOC_LAYOUT;
    ring->stream.handle = allocations_record;
    ring->stream.close = allocations_close_stream;
    ring->stream.owner = allocations;
    ring->process = process;
    status = perf_streams_add(allocations->streams, &ring->stream);
    if (status < 0)
        allocations_close_stream(&ring->stream);
    else
        process->allocations = ring;
    return status;
}

void allocations_open_ring(struct allocations *allocations, struct process *process, int fd)
{
    allocations_close_ring(allocations, process); // of the program that ran here before
    if (allocations_add_ring(allocations, process, fd) < 0)
        allocations->losses->rings++;
}

void allocations_close_ring(struct allocations *allocations, struct process *process)
{
    struct allocation_stream *ring = process->allocations;
    if (!ring)
        return;
    allocations_see_losses(allocations, ring, alloc_record_lost_frees(&ring->stream.ring), clock_now());
    process->allocations = NULL;
    ring->process = NULL;
    perf_streams_end(allocations->streams, &ring->stream);
}

bool allocations_process_mask(const struct process *process, struct cpulist *mask)
{
    return process->allocations && alloc_record_mask(&process->allocations->stream.ring, mask);
}

void allocations_forget(struct allocations *allocations, struct process *process, uint64_t time)
{
    objects_forget_heap(&allocations->objects, process, time);
    objects_unmapped(&allocations->objects, process, 0, UINT64_MAX, time);
}

void allocations_close_rings(struct allocations *allocations)
{
    uint64_t pid, value;
    for (size_t at = 0; table_next(&allocations->tasks->processes, &at, &pid, &value);)
        allocations_close_ring(allocations, (struct process *)(uintptr_t)value);
    perf_streams_close_ended(allocations->streams);
}

// --- begin and end

int allocations_open(struct allocations *allocations)
{
    allocations->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    allocations->variables = variables_open(allocations->walk->files);
    return allocations->variables ? 0 : -ENOMEM;
}

void allocations_attach(struct allocations *allocations)
{
    struct objects *objects = &allocations->objects; // empty, and most of it is never touched by a short run
    objects->queue = allocations->tasks->queue;
    objects->tasks = allocations->tasks;
    objects->find_variable = variables_find;
    objects->context = allocations->variables;
}

void allocations_close(struct allocations *allocations)
{
    objects_free(&allocations->objects);
    table_free(&allocations->moving);
    variables_close(allocations->variables);
}

void allocations_finish(const struct allocations *allocations, enum elf_kind kind, bool has_channel)
{
    const struct tasks *tasks = allocations->tasks;
    bool is_static = kind == ELF_KIND_STATIC;
    if (kind != ELF_KIND_GLIBC || !has_channel)
        note_write(tasks, "objects", RECORDING_NULL, is_static ? "link it dynamically" : NULL,
                   "allocations are not recorded%s: memory is named by variable and mapping only",
                   is_static ? " in a static program" : "");
    if (allocations->own_allocators > 0)
        note_write(tasks, "objects", allocations->own_allocators, NULL,
                   "the program has its own malloc: mappings of its heap are recorded, single blocks are not");
    uint64_t unwritten = allocations->objects.unwritten;
    if (unwritten > 0)
        note_write(tasks, "instances", (int64_t)unwritten, NULL,
                   "%llu %s of calls that made more than %d: counted, but recorded only where sampled",
                   (unsigned long long)unwritten, unwritten == 1 ? "block" : "blocks", OBJECTS_BLOCKS_OF_ONE);
    note_count(tasks, "blocks", allocations->lost, NULL, "large block came too fast to be recorded: it has no name",
               "large blocks came too fast to be recorded: they have no name");
}
