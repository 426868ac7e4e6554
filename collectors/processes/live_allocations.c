// SPDX-License-Identifier: Apache-2.0
#include "collectors/processes/live_allocations.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>

// Ranges that touch a common address compare equal, so a search for an address finds its block.
static int live_allocations_compare(const void *a, const void *b)
{
    const struct live_allocation *left = a, *right = b;
    return left->end <= right->start ? -1 : right->end <= left->start ? 1 : 0;
}

static struct live_allocation *live_allocations_search(const struct live_allocations *blocks, uint64_t start,
                                                       uint64_t end)
{
    const struct live_allocation key = {.start = start, .end = end};
    struct live_allocation *const *found = tfind(&key, &blocks->tree, live_allocations_compare);
    return found ? *found : NULL;
}

struct live_allocation *live_allocations_find(const struct live_allocations *blocks, uint64_t start, uint64_t end)
{
    if (start >= end)
        return NULL;
    struct live_allocation *found = live_allocations_search(blocks, start, end);
    if (!found || found->start <= start)
        return found;
    struct live_allocation *first = live_allocations_search(blocks, start, start + 1);
    return first ? first : found;
}

struct live_allocation *live_allocations_add(struct live_allocations *blocks, const struct live_allocation *block)
{
    struct live_allocation *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *block;
    if (tsearch(copy, &blocks->tree, live_allocations_compare))
        return copy;
    free(copy);
    return NULL;
}

void live_allocations_remove(struct live_allocations *blocks, struct live_allocation *block)
{
    tdelete(block, &blocks->tree, live_allocations_compare);
    free(block);
}

struct live_allocations_walk {
    live_allocations_visit *visit;
    void *context;
};

static void live_allocations_step(const void *node, VISIT order, void *walk)
{
    const struct live_allocations_walk *w = walk;
    if (order == postorder || order == leaf) // tsearch's word for in order
        w->visit(w->context, *(struct live_allocation *const *)node);
}

void live_allocations_each(const struct live_allocations *blocks, live_allocations_visit *visit, void *context)
{
    struct live_allocations_walk walk = {.visit = visit, .context = context};
    twalk_r(blocks->tree, live_allocations_step, &walk);
}

static void live_allocations_copy_one(void *to, struct live_allocation *block)
{
    live_allocations_add(to, block);
}

void live_allocations_copy(struct live_allocations *to, const struct live_allocations *from)
{
    live_allocations_each(from, live_allocations_copy_one, to);
}

void live_allocations_free(struct live_allocations *blocks)
{
    tdestroy(blocks->tree, free);
    blocks->tree = NULL;
}
