// SPDX-License-Identifier: Apache-2.0
// A binary heap: the cost of a round depends on the records that it delivers, even in a hostile file.
#include "profiler/import/perf_data/perf_order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/util/grow.h"

static bool perf_order_is_before(struct perf_order_item a, struct perf_order_item b)
{
    return a.time != b.time ? a.time < b.time : a.at < b.at;
}

int perf_order_add(struct perf_order *order, const char *at, uint64_t time)
{
    const struct perf_order_item item = {.time = time, .at = at};
    struct perf_order_item *items = grow_array(order->items, &order->size, order->count + 1, sizeof *items);
    if (!items)
        return -ENOMEM;
    order->items = items;
    size_t i = order->count++;
    for (; i > 0 && perf_order_is_before(item, items[(i - 1) / 2]); i = (i - 1) / 2)
        items[i] = items[(i - 1) / 2];
    items[i] = item;
    order->newest = time > order->newest ? time : order->newest;
    return 0;
}

static struct perf_order_item perf_order_take(struct perf_order *order)
{
    struct perf_order_item *items = order->items;
    const struct perf_order_item first = items[0], last = items[--order->count];
    size_t i = 0;
    for (size_t child = 1; child < order->count; child = 2 * i + 1) {
        if (child + 1 < order->count && perf_order_is_before(items[child + 1], items[child]))
            child++;
        if (!perf_order_is_before(items[child], last))
            break;
        items[i] = items[child];
        i = child;
    }
    items[i] = last;
    return first;
}

static void perf_order_flush(struct perf_order *order, uint64_t until)
{
    while (order->count > 0 && order->items[0].time <= until) {
        const struct perf_order_item item = perf_order_take(order);
        order->deliver(order->context, item.at, item.time);
    }
}

void perf_order_round(struct perf_order *order)
{
    perf_order_flush(order, order->newest_before);
    order->newest_before = order->newest;
}

void perf_order_finish(struct perf_order *order)
{
    perf_order_flush(order, UINT64_MAX);
}

void perf_order_free(struct perf_order *order)
{
    free(order->items);
    order->items = NULL;
    order->count = order->size = 0;
}
