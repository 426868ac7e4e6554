// SPDX-License-Identifier: Apache-2.0
#include "collectors/objects.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct live_block {
    uint64_t start, end;
    int64_t block;
};

// Blocks do not overlap: ranges that touch a common address compare equal, so a search for an address finds its block.
static int objects_compare(const void *a, const void *b)
{
    const struct live_block *left = a, *right = b;
    return left->end <= right->start ? -1 : right->end <= left->start ? 1 : 0;
}

static struct live_block *objects_live(const struct process *process, uint64_t start, uint64_t end)
{
    const struct live_block key = {.start = start, .end = end};
    struct live_block *const *found = tfind(&key, &process->live_blocks, objects_compare);
    return found ? *found : NULL;
}

static void objects_end(struct objects *objects, struct process *process, struct live_block *live, uint64_t time)
{
    tdelete(live, &process->live_blocks, objects_compare);
    RECORD(objects->queue, RECORDING_BLOCK_END, RECORD_NUMBER(live->block),
           RECORD_NUMBER(tasks_time(objects->tasks, time)));
    free(live);
}

static int64_t objects_new_object(struct objects *objects, const struct process *process, const char *kind,
                                  const char *name, int64_t stack)
{
    RECORD(objects->queue, RECORDING_OBJECT, RECORD_NUMBER(++objects->object_count), RECORD_NUMBER(process->id),
           RECORD_TEXT(kind), RECORD_TEXT(name), RECORD_NUMBER(stack));
    return objects->object_count;
}

static int64_t objects_new_block(struct objects *objects, int64_t object, uint64_t start, uint64_t end, uint64_t time,
                                 int64_t thread)
{
    RECORD(objects->queue, RECORDING_BLOCK, RECORD_NUMBER(++objects->block_count), RECORD_NUMBER(object),
           RECORD_NUMBER(start), RECORD_NUMBER(end - start), RECORD_NUMBER(tasks_time(objects->tasks, time)),
           RECORD_NULL, RECORD_NUMBER(thread));
    return objects->block_count;
}

// Blocks of one allocation path are one object.
static int64_t objects_of_path(struct objects *objects, const struct process *process, const char *kind, int64_t stack)
{
    uint64_t key = table_mix(table_mix(0, (uint64_t)process->id), (uint64_t)stack), id;
    if (stack != RECORDING_NULL && table_get(&objects->heap_objects, key, &id))
        return (int64_t)id;
    int64_t object = objects_new_object(objects, process, kind, NULL, stack);
    if (stack != RECORDING_NULL)
        table_put(&objects->heap_objects, key, (uint64_t)object);
    return object;
}

void objects_allocated(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes,
                       const char *kind, int64_t stack, int64_t thread, uint64_t time)
{
    struct live_block *old, *live = malloc(sizeof *live);
    if (!live || bytes == 0 || address + bytes < address) {
        free(live);
        return;
    }
    while ((old = objects_live(process, address, address + bytes)))
        objects_end(objects, process, old, time);
    int64_t object = objects_of_path(objects, process, kind, stack);
    *live = (struct live_block){.start = address, .end = address + bytes};
    live->block = objects_new_block(objects, object, live->start, live->end, time, thread);
    if (!tsearch(live, &process->live_blocks, objects_compare))
        free(live);
}

void objects_freed(struct objects *objects, struct process *process, uint64_t address, uint64_t bytes, uint64_t time)
{
    struct live_block *live;
    if (bytes == 0) {
        live = objects_live(process, address, address + 1);
        if (live && live->start == address)
            objects_end(objects, process, live, time);
        return;
    }
    while (address + bytes > address && (live = objects_live(process, address, address + bytes)))
        objects_end(objects, process, live, time);
}

static const char *objects_kind(const struct mapping *mapping)
{
    static const char *const kinds[] = {
        [MAP_KIND_ANONYMOUS] = "mapping", [MAP_KIND_HEAP] = "heap",   [MAP_KIND_STACK] = "stack",
        [MAP_KIND_STATIC] = "static",     [MAP_KIND_FILE] = "file",   [MAP_KIND_SHARED] = "shared",
        [MAP_KIND_HUGE] = "huge",         [MAP_KIND_SPECIAL] = "file",
    };
    return mapping->is_thread_stack ? "stack" : kinds[mapping->kind];
}

static int64_t objects_block_of_variable(struct objects *objects, const struct process *process,
                                         const struct mapping *mapping, uint64_t address, uint64_t time)
{
    struct object_variable variable;
    uint64_t id;
    if (!objects->find_variable || !objects->find_variable(objects->context, mapping, address, &variable))
        return RECORDING_NULL;
    uint64_t key = table_mix(table_mix((uint64_t)process->id, variable.start), mapping->serial);
    if (table_get(&objects->variables, key, &id))
        return (int64_t)id;
    int64_t object = objects_new_object(objects, process, "static", variable.name, RECORDING_NULL);
    int64_t block = objects_new_block(objects, object, variable.start, variable.start + variable.bytes, time,
                                      RECORDING_NULL);
    table_put(&objects->variables, key, (uint64_t)block);
    return block;
}

static int64_t objects_block_of_mapping(struct objects *objects, const struct process *process,
                                        struct mapping *mapping, uint64_t time)
{
    if (mapping->block == 0) {
        int64_t object = objects_new_object(objects, process, objects_kind(mapping),
                                            *mapping->path ? mapping->path : NULL, RECORDING_NULL);
        mapping->block = objects_new_block(objects, object, mapping->start, mapping->end, time, RECORDING_NULL);
    }
    return mapping->block;
}

int64_t objects_block(struct objects *objects, struct process *process, uint64_t address, uint64_t time)
{
    const struct live_block *live = objects_live(process, address, address + 1);
    if (live)
        return live->block;
    struct mapping *mapping = maps_find(&process->maps, address);
    if (!mapping)
        return RECORDING_NULL;
    int64_t block = mapping->kind == MAP_KIND_STATIC
                        ? objects_block_of_variable(objects, process, mapping, address, time)
                        : RECORDING_NULL;
    return block != RECORDING_NULL ? block : objects_block_of_mapping(objects, process, mapping, time);
}

static void objects_copy(const void *node, VISIT visit, void *child)
{
    if (visit != preorder && visit != leaf)
        return;
    struct live_block *copy = malloc(sizeof *copy);
    if (!copy)
        return;
    *copy = **(const struct live_block *const *)node;
    if (!tsearch(copy, &((struct process *)child)->live_blocks, objects_compare))
        free(copy);
}

void objects_inherit(struct process *child, const struct process *parent)
{
    twalk_r(parent->live_blocks, objects_copy, child);
}

void objects_free(struct objects *objects)
{
    table_free(&objects->heap_objects);
    table_free(&objects->variables);
}
