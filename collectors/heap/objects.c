// SPDX-License-Identifier: Apache-2.0
#include "collectors/heap/objects.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/grow.h"

// --- rows

static int64_t objects_new_object(struct objects *objects, const struct process *process, const char *kind,
                                  const char *name, int64_t stack)
{
    objects->object_count++;
    RECORD(objects->queue, RECORDING_OBJECT, RECORD_NUMBER(objects->object_count), RECORD_NUMBER(process->id),
           RECORD_TEXT(kind), RECORD_TEXT(name), RECORD_NUMBER(stack), RECORD_NULL);
    return objects->object_count;
}

static int64_t objects_new_block(struct objects *objects, const struct live_allocation *block)
{
    objects->block_count++;
    RECORD(objects->queue, RECORDING_BLOCK, RECORD_NUMBER(objects->block_count), RECORD_NUMBER(block->object),
           RECORD_NUMBER(block->start), RECORD_NUMBER(block->end - block->start),
           RECORD_NUMBER(tasks_time(objects->tasks, block->since)), RECORD_NULL, RECORD_NUMBER(block->thread));
    return objects->block_count;
}

static int64_t objects_row_of(struct objects *objects, struct live_allocation *live)
{
    if (live->block == 0)
        live->block = objects_new_block(objects, live);
    return live->block;
}

static void objects_mark(const struct objects *objects, const struct mapping *mapping, int64_t object)
{
    if (mapping->was_there)
        RECORD(objects->queue, RECORDING_PLACED_BEFORE, RECORD_NUMBER(object));
}

// Blocks of one allocation path are one object, and all of one name.
static int64_t objects_object_of(struct objects *objects, const struct process *process,
                                 const struct objects_block *block)
{
    uint64_t key = table_mix(table_mix(0, (uint64_t)process->id), (uint64_t)block->stack), id;
    key = table_mix_text(table_mix_text(key, block->name ? block->name : ""), block->kind);
    if (table_get(&objects->heap_objects, key, &id))
        return (int64_t)id;
    int64_t object = objects_new_object(objects, process, block->kind, block->name, block->stack);
    table_put(&objects->heap_objects, key, (uint64_t)object);
    return object;
}

// A loop that allocates a million times makes one object, not a million rows.
static void objects_write_few(struct objects *objects, struct live_allocation *live)
{
    uint64_t count = 0;
    table_get(&objects->blocks_of, (uint64_t)live->object, &count);
    table_put(&objects->blocks_of, (uint64_t)live->object, count + 1);
    if (count < OBJECTS_BLOCKS_OF_ONE)
        objects_row_of(objects, live);
    else
        objects->unwritten++;
}

// --- samples whose block is told of later

static uint64_t objects_remember(struct objects *objects, const struct process *process, uint64_t address,
                                 uint64_t time)
{
    objects->unnamed[++objects->unnamed_count % OBJECTS_UNNAMED] =
        (struct objects_unnamed){.time = time, .address = address, .process = process->id};
    if (time > objects->unnamed_newest)
        objects->unnamed_newest = time;
    return objects->unnamed_count;
}

// NULL: it has its name, or has been pushed out by newer ones.
static struct objects_unnamed *objects_unnamed(struct objects *objects, uint64_t number)
{
    if (number == 0 || objects->unnamed_count - number >= OBJECTS_UNNAMED)
        return NULL;
    struct objects_unnamed *unnamed = &objects->unnamed[number % OBJECTS_UNNAMED];
    return unnamed->process != 0 ? unnamed : NULL;
}

void objects_has_row(struct objects *objects, struct objects_found found, int64_t sample)
{
    struct objects_unnamed *unnamed = objects_unnamed(objects, found.unnamed);
    if (unnamed)
        unnamed->sample = sample;
}

void objects_forget_unnamed(struct objects *objects, const struct process *process)
{
    for (size_t i = 0; i < OBJECTS_UNNAMED && i <= objects->unnamed_count; i++) // the others were never written
        if (objects->unnamed[i].process == process->id)
            objects->unnamed[i].process = 0;
}

static void objects_name(struct objects *objects, struct objects_unnamed *unnamed, int64_t block, bool is_heap)
{
    unnamed->block = block;
    if (unnamed->sample == 0)
        return; // objects_block will tell
    RECORD(objects->queue, RECORDING_SAMPLE_BLOCK, RECORD_NUMBER(unnamed->sample), RECORD_NUMBER(block));
    if (is_heap)
        unnamed->process = 0; // what was mapped may yet be told to hold a block of the heap
}

static void objects_name_late(struct objects *objects, const struct process *process, struct live_allocation *live,
                              bool is_heap)
{
    if (objects->unnamed_newest < live->since)
        return; // nearly always
    uint64_t count = objects->unnamed_count, kept = count < OBJECTS_UNNAMED ? count : OBJECTS_UNNAMED;
    for (uint64_t i = 0; i < kept; i++) {
        struct objects_unnamed *unnamed = &objects->unnamed[(count - i) % OBJECTS_UNNAMED];
        if (unnamed->time < live->since)
            break; // samples come by time
        if (unnamed->process == process->id && (is_heap || unnamed->block == 0) &&
            unnamed->address + OBJECTS_HEADER_BYTES >= live->start && unnamed->address < live->end)
            objects_name(objects, unnamed, objects_row_of(objects, live), is_heap);
    }
}

// --- blocks come and go

static void objects_end(struct objects *objects, struct live_allocations *blocks, struct live_allocation *live,
                        uint64_t time)
{
    if (live->block != 0)
        RECORD(objects->queue, RECORDING_BLOCK_END, RECORD_NUMBER(live->block),
               RECORD_NUMBER(tasks_time(objects->tasks, time)));
    live_allocations_remove(blocks, live);
}

static bool objects_is_within_others(const char *kind)
{
    return strcmp(kind, "heap") == 0 || strcmp(kind, "tls") == 0;
}

void objects_allocated(struct objects *objects, struct process *process, const struct objects_block *block)
{
    uint64_t end = block->address + block->bytes;
    bool is_heap = objects_is_within_others(block->kind);
    struct live_allocation *old;
    if (end <= block->address)
        return; // nothing, or an absurd size
    while (is_heap && (old = live_allocations_find(&process->heap, block->address, end)))
        objects_end(objects, &process->heap, old, block->since);
    if (!is_heap)
        objects_unmapped(objects, process, block->address, block->bytes, block->since);
    const struct live_allocation new = {.start = block->address,
                                        .end = end,
                                        .since = block->since,
                                        .thread = block->thread,
                                        .object = objects_object_of(objects, process, block)};
    struct live_allocation *live = live_allocations_add(is_heap ? &process->heap : &process->mapped, &new);
    if (!live)
        return;
    objects_write_few(objects, live);
    objects_name_late(objects, process, live, is_heap);
}

void objects_freed(struct objects *objects, struct process *process, uint64_t address, uint64_t time)
{
    struct live_allocation *live = live_allocations_find(&process->heap, address, address + 1);
    if (live && live->start == address)
        objects_end(objects, &process->heap, live, time);
}

void objects_freed_range(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes,
                         uint64_t time)
{
    struct live_allocation *live;
    while ((live = live_allocations_find(&process->heap, address, address + bytes)))
        objects_end(objects, &process->heap, live, time);
}

static void objects_set_range(struct objects *objects, struct live_allocation *live, uint64_t start, uint64_t end)
{
    live->start = start;
    live->end = end;
    if (live->block != 0)
        RECORD(objects->queue, RECORDING_BLOCK_RANGE, RECORD_NUMBER(live->block), RECORD_NUMBER(start),
               RECORD_NUMBER(end - start));
}

// Allocators map more than they need and give back both ends, to get an aligned piece.
bool objects_is_mapped(const struct process *process, uint64_t address)
{
    return live_allocations_find(&process->mapped, address, address + 1) != NULL;
}

void objects_unmapped(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes, uint64_t time)
{
    struct live_allocation *live;
    uint64_t end = address + bytes;
    while ((live = live_allocations_find(&process->mapped, address, end))) {
        bool keeps_head = live->start < address, keeps_tail = live->end > end;
        struct live_allocation tail = *live;
        if (!keeps_head && !keeps_tail) {
            objects_end(objects, &process->mapped, live, time);
            continue;
        }
        objects_set_range(objects, live, keeps_head ? live->start : end, keeps_head ? address : live->end);
        if (!keeps_head || !keeps_tail)
            continue;
        tail.start = end;
        tail.since = time;
        tail.block = 0;
        live = live_allocations_add(&process->mapped, &tail);
        if (live)
            objects_write_few(objects, live);
    }
}

void objects_forget_heap(struct objects *objects, struct process *process, uint64_t time)
{
    objects_freed_range(objects, process, 0, UINT64_MAX, time);
}

static void objects_visit_row(void *objects, struct live_allocation *live)
{
    objects_row_of(objects, live);
}

void objects_inherit(struct objects *objects, struct process *child, const struct process *parent)
{
    // Or both would write a row.
    live_allocations_each(&parent->heap, objects_visit_row, objects);
    live_allocations_each(&parent->mapped, objects_visit_row, objects);
    live_allocations_copy(&child->heap, &parent->heap);
    live_allocations_copy(&child->mapped, &parent->mapped);
}

// --- what is at an address

static const char *objects_kind(const struct mapping *mapping)
{
    static const char *const kinds[] = {
        [MAPPING_ANONYMOUS] = "mapping", [MAPPING_HEAP] = "heap",    [MAPPING_STACK] = "stack",
        [MAPPING_STATIC] = "static",     [MAPPING_FILE] = "file",    [MAPPING_SHARED] = "shared",
        [MAPPING_HUGE] = "huge",         [MAPPING_SPECIAL] = "file",
    };
    return mapping->is_thread_stack ? "stack" : kinds[mapping->kind];
}

static void objects_keep_named(struct objects *objects, struct objects_named named)
{
    struct objects_named *larger =
        grow_array(objects->named, &objects->named_size, objects->named_count + 1, sizeof named);
    if (!larger)
        return; // where it is declared stays unknown
    objects->named = larger;
    objects->named[objects->named_count++] = named;
}

// The library that observes the program: its variables are not the program's, and have no names of their own.
static bool objects_is_preload(const struct mapping *mapping)
{
    return strstr(mapping->path, "libnumaprof-preload.so") != NULL;
}

static int64_t objects_variable(struct objects *objects, const struct process *process, const struct mapping *mapping,
                                uint64_t address, uint64_t time)
{
    struct objects_variable variable;
    uint64_t id;
    if (!objects->find_variable || objects_is_preload(mapping) ||
        !objects->find_variable(objects->context, mapping, address, &variable))
        return RECORDING_NULL;
    // Not by mapping: a variable may begin in the last page that the file gives and end in those that it does not.
    uint64_t key = table_mix(table_mix((uint64_t)process->id, variable.start), (uintptr_t)mapping->path);
    if (table_get(&objects->variables, key, &id))
        return (int64_t)id;
    const struct live_allocation block = {
        .start = variable.start,
        .end = variable.start + variable.bytes,
        .since = time,
        .object = objects_new_object(objects, process, "static", variable.name, RECORDING_NULL),
        .thread = RECORDING_NULL,
    };
    int64_t row = objects_new_block(objects, &block);
    objects_mark(objects, mapping, block.object);
    RECORD(objects->queue, RECORDING_OBJECT_ADDRESS, RECORD_NUMBER(block.object), RECORD_NUMBER(variable.own));
    if (variable.bytes >= OBJECTS_DECLARED_LEAST)
        objects_keep_named(objects, (struct objects_named){mapping->path, variable.own, block.object});
    table_put(&objects->variables, key, (uint64_t)row);
    return row;
}

// Memory that several processes share is one object: a database's buffers are not one object for each backend. 0: not
// shared.
static uint64_t objects_shared_key(const struct mapping *mapping)
{
    if ((mapping->kind != MAPPING_SHARED && mapping->kind != MAPPING_HUGE) || !mapping->shared || mapping->inode == 0)
        return 0;
    return table_mix(table_mix(mapping->device, mapping->inode), mapping->file_offset);
}

static int64_t objects_mapping_object(struct objects *objects, const struct process *process,
                                      const struct mapping *mapping)
{
    const char *name = *mapping->path ? mapping->path : NULL;
    return objects_new_object(objects, process, objects_kind(mapping), name, RECORDING_NULL);
}

static int64_t objects_mapping_block(struct objects *objects, const struct mapping *mapping, int64_t object,
                                     uint64_t time)
{
    const struct live_allocation block = {
        .start = mapping->start, .end = mapping->end, .since = time, .object = object, .thread = RECORDING_NULL};
    int64_t id = objects_new_block(objects, &block);
    objects_mark(objects, mapping, object);
    return id;
}

// The block of shared memory that another process maps at another address: the report takes it for the same memory.
static int64_t objects_shared_elsewhere(struct objects *objects, const struct mapping *mapping, uint64_t number,
                                        uint64_t time)
{
    const struct objects_shared *first = &objects->shared_memory[number];
    const uint64_t bytes = mapping->end - mapping->start, key = table_mix(table_mix(number, mapping->start), bytes);
    uint64_t known;
    if (mapping->start == first->start && bytes == first->bytes)
        return first->block;
    if (table_get(&objects->shared_elsewhere, key, &known))
        return (int64_t)known;
    int64_t block = objects_mapping_block(objects, mapping, first->object, time);
    RECORD(objects->queue, RECORDING_SAME_MEMORY, RECORD_NUMBER(block), RECORD_NUMBER(first->block));
    table_put(&objects->shared_elsewhere, key, (uint64_t)block);
    return block;
}

static void objects_keep_shared(struct objects *objects, uint64_t key, struct objects_shared shared)
{
    struct objects_shared *larger =
        grow_array(objects->shared_memory, &objects->shared_size, objects->shared_count + 1, sizeof shared);
    if (!larger)
        return; // each process has an object of its own
    objects->shared_memory = larger;
    if (table_put(&objects->shared, key, objects->shared_count) == 0)
        objects->shared_memory[objects->shared_count++] = shared;
}

static int64_t objects_mapping(struct objects *objects, const struct process *process, struct mapping *mapping,
                               uint64_t time)
{
    const uint64_t key = mapping->block == 0 ? objects_shared_key(mapping) : 0, bytes = mapping->end - mapping->start;
    uint64_t number;
    // A larger mapping than the first: its end has no place in the object that is known.
    if (key && table_get(&objects->shared, key, &number) && bytes <= objects->shared_memory[number].bytes)
        mapping->block = objects_shared_elsewhere(objects, mapping, number, time);
    if (mapping->block == 0) {
        const int64_t object = objects_mapping_object(objects, process, mapping);
        mapping->block = objects_mapping_block(objects, mapping, object, time);
        if (key)
            objects_keep_shared(objects, key,
                                (struct objects_shared){object, mapping->block, mapping->start, bytes});
    }
    return mapping->block;
}

// The row of a block that lived already at that time.
static int64_t objects_row_at(struct objects *objects, struct live_allocation *live, uint64_t time)
{
    return live && live->since <= time ? objects_row_of(objects, live) : RECORDING_NULL;
}

static int64_t objects_heap(struct objects *objects, struct process *process, uint64_t address, uint64_t time)
{
    return objects_row_at(objects, live_allocations_find(&process->heap, address, address + 1), time);
}

static int64_t objects_mapped(struct objects *objects, struct process *process, uint64_t address, uint64_t time)
{
    return objects_row_at(objects, live_allocations_find(&process->mapped, address, address + 1), time);
}

// The block at the address, else the one whose allocator's words are there.
static int64_t objects_behind(struct objects *objects, struct process *process, uint64_t address, uint64_t time)
{
    return objects_row_at(objects, live_allocations_find(&process->heap, address, address + OBJECTS_HEADER_BYTES + 1),
                          time);
}

struct objects_found objects_live(struct objects *objects, struct process *process, uint64_t address, uint64_t time)
{
    int64_t block = objects_heap(objects, process, address, time);
    if (block != RECORDING_NULL)
        return (struct objects_found){.block = block};
    return (struct objects_found){.block = objects_mapped(objects, process, address, time),
                                  .is_mapped = true,
                                  .unnamed = objects_remember(objects, process, address, time)};
}

// A variable, else the whole mapping.
static int64_t objects_unallocated(struct objects *objects, const struct process *process, uint64_t address,
                                   uint64_t time)
{
    struct mapping *mapping = address_space_find(&process->space, address);
    int64_t block = RECORDING_NULL;
    if (mapping && mapping->kind == MAPPING_STATIC)
        block = objects_variable(objects, process, mapping, address, time);
    return mapping && block == RECORDING_NULL ? objects_mapping(objects, process, mapping, time) : block;
}

// A block of the heap that the sample is in, by what was told since it was taken.
static int64_t objects_heap_since(struct objects *objects, struct process *process, uint64_t address, uint64_t time,
                                  struct objects_found found)
{
    struct objects_unnamed *unnamed = objects_unnamed(objects, found.unnamed);
    int64_t block = unnamed && unnamed->block != 0 ? unnamed->block : objects_behind(objects, process, address, time);
    if (block != RECORDING_NULL && unnamed)
        unnamed->process = 0;
    return block;
}

int64_t objects_block(struct objects *objects, struct process *process, uint64_t address, uint64_t time,
                      struct objects_found found)
{
    int64_t block = found.is_mapped ? objects_heap_since(objects, process, address, time, found) : found.block;
    if (block == RECORDING_NULL)
        block = found.block;
    if (block == RECORDING_NULL)
        block = objects_mapped(objects, process, address, time);
    return block != RECORDING_NULL ? block : objects_unallocated(objects, process, address, time);
}

void objects_free(struct objects *objects)
{
    table_free(&objects->heap_objects);
    table_free(&objects->blocks_of);
    table_free(&objects->variables);
    table_free(&objects->shared);
    table_free(&objects->shared_elsewhere);
    free(objects->shared_memory);
    free(objects->named);
}
