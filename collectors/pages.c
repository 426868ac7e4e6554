// SPDX-License-Identifier: Apache-2.0
#include "collectors/pages.h"

#include <stdlib.h>

#include "collectors/page_state.h"

enum {
    PAGES_PER_SNAPSHOT = 65536,    // at about 0.2 us a page, 13 ms
    PAGES_FIRST_MS = 20,
    PAGES_LAST_MS = 10000,
};

struct pages_run {                 // neighbours with one answer
    uint64_t first, last;          // addresses of the first and last page asked about
    uint64_t asked;
    int32_t state;
};

struct pages_walk {
    struct pages *pages;
    struct process *process;
    uint64_t stride;               // every how many pages
    uint64_t asked, known;
    struct pages_run run;
};

static bool pages_of_interest(const struct pages *pages, const struct process *process, const struct mapping *now)
{
    if (now->kind == MAP_KIND_FILE || now->kind == MAP_KIND_SPECIAL)
        return false;
    if (!pages->sees_touches)
        return true;
    for (uint64_t at = now->start; at < now->end;) { // tracked mappings may be cut otherwise than the kernel's
        const struct mapping *tracked = maps_find(&process->maps, at);
        if (tracked && tracked->touched)
            return true;
        at = tracked ? tracked->end : at + pages->page_bytes * 512;
    }
    return false;
}

static void pages_write_run(struct pages_walk *walk)
{
    const struct pages_run *run = &walk->run;
    uint64_t page = walk->pages->page_bytes;
    if (run->asked == 0 || run->state == PAGE_ABSENT || run->state == PAGE_ZERO)
        return;
    RECORD(walk->pages->queue, RECORDING_PAGE_HOME, RECORD_NUMBER(walk->pages->snapshots), RECORD_NUMBER(run->first),
           RECORD_NUMBER(run->asked), RECORD_NUMBER((run->last - run->first) / page + 1),
           run->state >= 0 ? RECORD_NUMBER(run->state) : RECORD_NULL);
}

static void pages_add(struct pages_walk *walk, uint64_t address, int32_t state)
{
    struct pages_run *run = &walk->run;
    bool continues = run->asked > 0 && run->state == state &&
                     address == run->last + walk->stride * walk->pages->page_bytes;
    if (!continues) {
        pages_write_run(walk);
        *run = (struct pages_run){.first = address, .state = state};
    }
    run->last = address;
    run->asked++;
    walk->asked++;
    walk->known += state >= 0 || state == PAGE_ABSENT || state == PAGE_ZERO;
    walk->pages->worked |= state >= 0;
}

static void pages_walk_mapping(struct pages_walk *walk, const struct mapping *mapping)
{
    enum { CHUNK = 512 };
    uint64_t addresses[CHUNK], step = walk->stride * walk->pages->page_bytes;
    int32_t states[CHUNK];
    for (uint64_t at = mapping->start; at < mapping->end;) {
        size_t n = 0;
        for (; n < CHUNK && at < mapping->end; at += step)
            addresses[n++] = at;
        int status = page_state_query(walk->process->pid, addresses, n, states);
        if (status < 0)
            walk->pages->error = status;
        for (size_t i = 0; i < n; i++)
            pages_add(walk, addresses[i], states[i]);
    }
    pages_write_run(walk);
    walk->run = (struct pages_run){0};
}

static uint64_t pages_count(const struct pages *pages, const struct process *process, const struct maps *now)
{
    uint64_t count = 0;
    for (size_t i = 0; i < now->count; i++)
        if (pages_of_interest(pages, process, &now->items[i]))
            count += (now->items[i].end - now->items[i].start) / pages->page_bytes;
    return count;
}

void pages_snapshot(struct pages *pages, struct process *process, uint64_t now, const char *cause)
{
    struct maps maps = {0};
    process->snapshot_at = now;
    // What is unmapped is not reported, so the mappings are read anew.
    int status = maps_read(&maps, &pages->tasks->paths, process->pid);
    if (status < 0) {
        pages->error = status;
        goto done;
    }
    uint64_t count = pages_count(pages, process, &maps);
    if (count == 0)
        goto done;
    pages->snapshots++;
    struct pages_walk walk = {.pages = pages, .process = process, .stride = count / PAGES_PER_SNAPSHOT + 1};
    for (size_t i = 0; i < maps.count; i++)
        if (pages_of_interest(pages, process, &maps.items[i]))
            pages_walk_mapping(&walk, &maps.items[i]);
    RECORD(pages->queue, RECORDING_SNAPSHOT, RECORD_NUMBER(pages->snapshots), RECORD_NUMBER(process->id),
           RECORD_NUMBER(tasks_time(pages->tasks, now)), RECORD_TEXT(cause), RECORD_TEXT("move_pages"),
           RECORD_NUMBER(walk.asked), RECORD_NUMBER(walk.known));
done:
    maps_clear(&maps);
}

static bool pages_is_due(const struct pages *pages, const struct process *process, uint64_t now, bool pages_move)
{
    if (pages->sees_touches && process->touched_at == 0)
        return false;
    uint64_t last = process->snapshot_at ? process->snapshot_at : process->start;
    bool changed = process->snapshot_at == 0 || process->touched_at > process->snapshot_at || pages_move ||
                   !pages->sees_touches;
    // The interval grows with age: a tenth more snapshots for ten times the life.
    uint64_t interval = (last - process->start) + PAGES_FIRST_MS * UINT64_C(1000000);
    uint64_t longest = PAGES_LAST_MS * UINT64_C(1000000);
    return changed && now - last >= (interval < longest ? interval : longest);
}

void pages_tick(struct pages *pages, uint64_t now, bool pages_move)
{
    uint64_t pid, value;
    for (size_t at = 0; table_next(&pages->tasks->processes, &at, &pid, &value);) {
        struct process *process = (struct process *)(uintptr_t)value;
        if (pages_is_due(pages, process, now, pages_move))
            pages_snapshot(pages, process, now, "interval");
    }
}
