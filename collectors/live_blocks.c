// SPDX-License-Identifier: Apache-2.0
#include "collectors/live_blocks.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>

// Ranges that touch a common address compare equal, so a search for an address finds its block.
static int live_compare(const void *a, const void *b)
{
    const struct live_block *left = a, *right = b;
    return left->end <= right->start ? -1 : right->end <= left->start ? 1 : 0;
}

static struct live_block *live_search(const struct live_blocks *blocks, uint64_t start, uint64_t end)
{
    const struct live_block key = {.start = start, .end = end};
    struct live_block *const *found = tfind(&key, &blocks->tree, live_compare);
    return found ? *found : NULL;
}

struct live_block *live_blocks_find(const struct live_blocks *blocks, uint64_t start, uint64_t end)
{
    if (start >= end)
        return NULL;
    struct live_block *found = live_search(blocks, start, end);
    if (!found || found->start <= start)
        return found;
    struct live_block *first = live_search(blocks, start, start + 1);
    return first ? first : found;
}

struct live_block *live_blocks_add(struct live_blocks *blocks, const struct live_block *block)
{
    struct live_block *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *block;
    if (tsearch(copy, &blocks->tree, live_compare))
        return copy;
    free(copy);
    return NULL;
}

void live_blocks_remove(struct live_blocks *blocks, struct live_block *block)
{
    tdelete(block, &blocks->tree, live_compare);
    free(block);
}

struct live_walk {
    live_blocks_visit *visit;
    void *context;
};

static void live_step(const void *node, VISIT order, void *walk)
{
    const struct live_walk *w = walk;
    if (order == postorder || order == leaf) // tsearch's word for in order
        w->visit(w->context, *(struct live_block *const *)node);
}

void live_blocks_each(const struct live_blocks *blocks, live_blocks_visit *visit, void *context)
{
    struct live_walk walk = {.visit = visit, .context = context};
    twalk_r(blocks->tree, live_step, &walk);
}

static void live_copy(void *to, struct live_block *block)
{
    live_blocks_add(to, block);
}

void live_blocks_copy(struct live_blocks *to, const struct live_blocks *from)
{
    live_blocks_each(from, live_copy, to);
}

void live_blocks_free(struct live_blocks *blocks)
{
    tdestroy(blocks->tree, free);
    blocks->tree = NULL;
}
