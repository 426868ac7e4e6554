// SPDX-License-Identifier: Apache-2.0
#include "profiler/live/live_pages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/pages/pages_state.h"
#include "collectors/processes/address_space.h"
#include "core/process/process_stat.h"
#include "core/system/clock.h"

enum {
    LIVE_PAGES_ROUND = 8192,  // at about 0.2 us a page, 2 ms
    LIVE_PAGES_LEAST = 128,   // per process: gives a share within 9 %
    LIVE_PAGES_MOST = 2048,   // per process: gives a share within 2 %
    LIVE_PAGES_RANGES = 16,   // listed one by one
    LIVE_PAGES_REST = 100,    // pause between two queries of a process, in multiples of the query's time
};

// A mapping and what was found in it.
struct live_range {
    const struct mapping *mapping;   // NULL: all mappings that are not listed one by one
    uint64_t pages, asked, present;
    uint64_t *nodes;                 // present pages by index into topology->nodes
    double resident;                 // estimate, in pages
};

struct live_look {
    pid_t pid;
    const struct topology *topology;
    uint64_t page_bytes, turn;
    struct live_range *ranges;
    size_t count;
    uint64_t *nodes;                 // of all ranges
    int error;
};

struct live_pages_budget live_pages_share(size_t processes, uint64_t interval_ns)
{
    size_t each = LIVE_PAGES_ROUND / (processes ? processes : 1);
    each = each < LIVE_PAGES_LEAST ? LIVE_PAGES_LEAST : each > LIVE_PAGES_MOST ? LIVE_PAGES_MOST : each;
    return (struct live_pages_budget){
        .left = LIVE_PAGES_ROUND, .each = each, .rest_ns = processes * each / LIVE_PAGES_ROUND * interval_ns};
}

// --- queries

// Positions follow the golden-ratio sequence: any number of them spreads evenly, and no placement has the same stride.
static uint64_t live_pages_place(const struct live_range *range, uint64_t turn, uint64_t k)
{
    const double golden = 0.6180339887498949;
    double at = golden * (double)(turn * LIVE_PAGES_MOST + k + 1);
    uint64_t page = (uint64_t)((at - (double)(uint64_t)at) * (double)range->pages);
    return page < range->pages ? page : range->pages - 1;
}

static void live_pages_add(struct live_look *look, struct live_range *range, int32_t state)
{
    range->asked += state != PAGES_UNKNOWN;
    for (size_t i = 0; state >= 0 && i < look->topology->node_count; i++)
        if (look->topology->nodes[i].id == state) {
            range->nodes[i]++;
            range->present++;
        }
}

static void live_pages_ask(struct live_look *look, struct live_range *range, uint64_t first, uint64_t count)
{
    uint64_t addresses[LIVE_PAGES_MOST] = {0};
    int32_t states[LIVE_PAGES_MOST];
    for (uint64_t k = 0; k < count; k++)
        addresses[k] = range->mapping->start + live_pages_place(range, look->turn, first + k) * look->page_bytes;
    int status = pages_state_query(look->pid, addresses, count, states);
    if (status < 0)
        look->error = status;
    for (uint64_t k = 0; k < count && status >= 0; k++)
        live_pages_add(look, range, states[k]);
    range->resident = range->asked ? (double)range->present / (double)range->asked * (double)range->pages : 0;
}

// How many pages to query of a range that has this part of the whole: at most all its pages.
static uint64_t live_pages_part(const struct live_range *range, double part, size_t wanted)
{
    uint64_t count = (uint64_t)(part * (double)wanted) + 1;
    count = count > LIVE_PAGES_MOST ? LIVE_PAGES_MOST : count;
    return count < range->pages ? count : range->pages;
}

// Spends a third of the queries by the size of the ranges, to find ranges with resident pages; the rest by what it
// found.
static void live_pages_ask_all(struct live_look *look, size_t wanted)
{
    double size = 0, resident = 0;
    for (size_t i = 0; i < look->count; i++)
        size += (double)look->ranges[i].pages;
    for (size_t i = 0; i < look->count; i++) {
        struct live_range *range = &look->ranges[i];
        live_pages_ask(look, range, 0, live_pages_part(range, (double)range->pages / size, wanted / 3));
        resident += range->resident;
    }
    for (size_t i = 0; i < look->count && resident > 0; i++) {
        struct live_range *range = &look->ranges[i];
        const uint64_t count = live_pages_part(range, range->resident / resident, wanted - wanted / 3);
        if (range->present > 0 && range->asked < range->pages)
            live_pages_ask(look, range, range->asked, count);
    }
}

// --- choosing ranges

static bool live_pages_of_interest(const struct mapping *mapping)
{
    return mapping->kind != MAPPING_FILE && mapping->kind != MAPPING_SPECIAL;
}

static int live_pages_by_size(const void *a, const void *b)
{
    const struct live_range *one = a, *other = b;
    return one->pages < other->pages ? 1 : -(one->pages > other->pages);
}

static int live_pages_by_resident(const void *a, const void *b)
{
    const struct live_range *one = a, *other = b;
    return one->resident < other->resident ? 1 : -(one->resident > other->resident);
}

// Chooses the largest ranges, at most one per query. -1: out of memory.
static int live_pages_plan(struct live_look *look, const struct address_space *space, size_t wanted)
{
    look->ranges = calloc(space->count + 1, sizeof *look->ranges);
    look->nodes = calloc(space->count + 1, look->topology->node_count * sizeof *look->nodes);
    if (!look->ranges || !look->nodes)
        return -1;
    for (size_t i = 0; i < space->count; i++) {
        const struct mapping *mapping = &space->items[i];
        if (!live_pages_of_interest(mapping))
            continue;
        look->ranges[look->count] = (struct live_range){
            .mapping = mapping, .pages = (mapping->end - mapping->start) / look->page_bytes,
            .nodes = look->nodes + look->count * look->topology->node_count};
        look->count += look->ranges[look->count].pages > 0;
    }
    qsort(look->ranges, look->count, sizeof *look->ranges, live_pages_by_size);
    if (look->count > wanted / 3)
        look->count = wanted / 3;
    return 0;
}

// --- writing

static const char *live_pages_kind(enum mapping_kind kind)
{
    static const char *const names[] = {
        [MAPPING_ANONYMOUS] = "anonymous", [MAPPING_HEAP] = "heap",     [MAPPING_STACK] = "stack",
        [MAPPING_STATIC] = "static",       [MAPPING_FILE] = "file",     [MAPPING_SHARED] = "shared",
        [MAPPING_HUGE] = "huge",           [MAPPING_SPECIAL] = "special",
    };
    return names[kind];
}

// Writes estimated pages by node: each queried page that is present stands for the same number of pages.
static void live_pages_write_nodes(const struct live_look *look, struct json *json, const struct live_range *ranges,
                                   size_t count)
{
    json_array(json, "nodes");
    for (size_t i = 0; i < look->topology->node_count; i++) {
        double pages = 0;
        for (size_t j = 0; j < count; j++)
            if (ranges[j].present > 0)
                pages += ranges[j].resident * (double)ranges[j].nodes[i] / (double)ranges[j].present;
        json_real(json, NULL, pages);
    }
    json_close(json);
}

static void live_pages_write_range(const struct live_look *look, struct json *json, const struct live_range *range)
{
    json_object(json, NULL);
    json_hex(json, "start", range->mapping->start);
    json_number(json, "pages", (int64_t)range->pages);
    json_text(json, "kind", live_pages_kind(range->mapping->kind));
    json_text(json, "path", range->mapping->path);
    json_number(json, "seen", (int64_t)range->present);
    live_pages_write_nodes(look, json, range, 1);
    json_close(json);
}

static void live_pages_write_look(const struct live_look *look, struct json *json)
{
    uint64_t asked = 0, seen = 0;
    for (size_t i = 0; i < look->count; i++) {
        asked += look->ranges[i].asked;
        seen += look->ranges[i].present;
    }
    json_object(json, "pages");
    json_number(json, "asked", (int64_t)asked);
    json_number(json, "seen", (int64_t)seen);
    live_pages_write_nodes(look, json, look->ranges, look->count);
    json_array(json, "ranges");
    for (size_t i = 0; i < look->count && i < LIVE_PAGES_RANGES && look->ranges[i].present > 0; i++)
        live_pages_write_range(look, json, &look->ranges[i]);
    json_close(json);
    json_close(json);
}

void live_pages_write(struct live_pages *pages, struct live_pages_budget *budget, struct json *json, pid_t pid,
                      const struct topology *topology)
{
    struct address_space space = {0};
    struct intern *paths = NULL;
    struct live_look look = {.pid = process_stat_shown(pid), .topology = topology, .turn = pages->turn,
                             .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)};
    uint64_t begun = clock_now();
    bool is_due = begun >= pages->next_at && budget->left >= budget->each;
    if (is_due && address_space_read(&space, &paths, look.pid) == 0 &&
        live_pages_plan(&look, &space, budget->each) == 0) {
        live_pages_ask_all(&look, budget->each);
        qsort(look.ranges, look.count, sizeof *look.ranges, live_pages_by_resident);
        budget->left -= budget->each;
        pages->turn++;
    }
    if (look.count > 0 && look.error == 0)
        live_pages_write_look(&look, json);
    else
        json_text(json, "pages", NULL);
    const uint64_t rest = LIVE_PAGES_REST * (clock_now() - begun);
    if (is_due)
        pages->next_at = begun + (budget->rest_ns > rest ? budget->rest_ns : rest);
    free(look.ranges);
    free(look.nodes);
    address_space_clear(&space);
    intern_free(paths);
}
