// SPDX-License-Identifier: Apache-2.0
#include "collectors/pages/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/pages/numa_maps.h"
#include "collectors/pages/pages_state.h"
#include "core/process/thread_create.h"
#include "core/system/clock.h"

enum {
    PAGES_PER_SNAPSHOT = 65536,    // at about 0.2 us a page, 13 ms
    // Beside them, of mappings without a recorded fault: much of these may be reserved only.
    PAGES_UNTOUCHED = 16384,
    PAGES_UNSEEN_LEAST = 64,       // of a mapping, and a quarter of what faults placed: weights of faults are estimates
    PAGES_FIRST_MS = 20,
    PAGES_LAST_MS = 10000,
};

struct pages_range {
    uint64_t start, end;
    uint64_t stride;               // every how many pages
    bool is_counted;               // private memory whose mapping was reported: its faults are known
    uint64_t placed;               // pages that faults were seen to place
    uint64_t serials;              // of the mappings there
    uint64_t present;              // pages found, with those they stand for
};

// A snapshot to be taken: all that is needed, without the process, which may be gone by then.
struct pages_job {
    pid_t pid;
    int64_t process, snapshot, t_ns;
    const char *cause;
    size_t count;
    struct pages_range ranges[];
};

struct pages_run {                 // neighbours with one answer
    uint64_t first, last;          // addresses of the first and last page asked about
    uint64_t asked;
    int32_t state;
};

struct pages_walk {
    struct pages *pages;
    struct pages_job *job;
    const struct pages_range *range;
    uint64_t asked, known;
    uint64_t present;              // of this range, asked about
    uint64_t unseen;               // pages of all ranges that no fault was seen to place
    struct pages_run run;
};

// --- asking

// Each page stands for those that were left out behind it, as far as the range goes.
static uint64_t pages_span(const struct pages_walk *walk)
{
    uint64_t span = walk->run.asked * walk->range->stride;
    uint64_t left = (walk->range->end - walk->run.first) / walk->pages->page_bytes;
    return span < left ? span : left;
}

static void pages_write_run(const struct pages_walk *walk)
{
    const struct pages_run *run = &walk->run;
    if (run->asked == 0 || run->state == PAGES_ABSENT || run->state == PAGES_ZERO)
        return;
    RECORD(walk->pages->queue, RECORDING_PAGE_HOME, RECORD_NUMBER(walk->job->snapshot), RECORD_NUMBER(run->first),
           RECORD_NUMBER(run->asked), RECORD_NUMBER(pages_span(walk)),
           RECORD_KNOWN(run->state));
}

static void pages_add(struct pages_walk *walk, uint64_t address, int32_t state)
{
    struct pages_run *run = &walk->run;
    bool continues = run->asked > 0 && run->state == state &&
                     address == run->last + walk->range->stride * walk->pages->page_bytes;
    if (!continues) {
        pages_write_run(walk);
        *run = (struct pages_run){.first = address, .state = state};
    }
    run->last = address;
    run->asked++;
    walk->asked++;
    walk->present += state >= 0 || state == PAGES_SOMEWHERE;
    walk->known += state >= 0 || state == PAGES_ABSENT || state == PAGES_ZERO;
    if (state >= 0)
        atomic_store_explicit(&walk->pages->worked, true, memory_order_relaxed);
}

// Weights of faults are estimates: what is a little more than they stand for is not worth a word.
static uint64_t pages_unseen(uint64_t present, uint64_t placed)
{
    return present > placed + placed / 4 + PAGES_UNSEEN_LEAST ? present - placed : 0;
}

static void pages_walk_range(struct pages_walk *walk, struct pages_range *range)
{
    enum { CHUNK = 512 };
    uint64_t addresses[CHUNK], step = range->stride * walk->pages->page_bytes;
    int32_t states[CHUNK];
    walk->range = range;
    walk->present = 0;
    for (uint64_t at = range->start; at < range->end;) {
        size_t n = 0;
        for (; n < CHUNK && at < range->end; at += step)
            addresses[n++] = at;
        int status = pages_state_query(walk->job->pid, addresses, n, states);
        if (status < 0)
            atomic_store(&walk->pages->error, status);
        for (size_t i = 0; i < n; i++)
            pages_add(walk, addresses[i], states[i]);
    }
    pages_write_run(walk);
    walk->run = (struct pages_run){0};
    range->present = walk->present * range->stride;
    if (range->is_counted)
        walk->unseen += pages_unseen(range->present, range->placed);
}

// How many pages of a mapping are on a node, not which.
static void pages_add_count(void *context, const struct numa_maps_count *count)
{
    struct pages_walk *walk = context;
    const struct pages_job *job = walk->job;
    for (size_t i = 0; i < job->count; i++) {
        if (job->ranges[i].start != count->mapping)
            continue;
        RECORD(walk->pages->queue, RECORDING_PAGE_HOME, RECORD_NUMBER(job->snapshot), RECORD_NUMBER(count->address),
               RECORD_NUMBER(count->pages), RECORD_NUMBER(count->pages), RECORD_NUMBER(count->node));
        walk->asked += count->pages;
        walk->known += count->pages;
        atomic_store_explicit(&walk->pages->worked, true, memory_order_relaxed);
        return;
    }
}

static void pages_do(struct pages *pages, struct pages_job *job)
{
    struct pages_walk walk = {.pages = pages, .job = job};
    for (size_t i = 0; i < job->count && !pages->only_counts; i++)
        pages_walk_range(&walk, &job->ranges[i]);
    int status = pages->only_counts ? numa_maps_read(job->pid, pages->page_bytes, pages_add_count, &walk) : 0;
    if (status < 0)
        atomic_store(&pages->error, status);
    if (strcmp(job->cause, "exit") == 0)
        pages->unseen_pages += walk.unseen;
    RECORD(pages->queue, RECORDING_SNAPSHOT, RECORD_NUMBER(job->snapshot), RECORD_NUMBER(job->process),
           RECORD_NUMBER(job->t_ns), RECORD_TEXT(job->cause),
           RECORD_TEXT(pages->only_counts ? "numa_maps" : "move_pages"), RECORD_NUMBER(walk.asked),
           RECORD_NUMBER(walk.known));
}

// --- what to ask about

// Private memory, shared memory and huge pages; the pages of files belong to the page cache.
static bool pages_of_interest(const struct mapping *now)
{
    return now->kind != MAPPING_FILE && now->kind != MAPPING_SPECIAL;
}

static bool pages_is_private(const struct mapping *now)
{
    return now->kind == MAPPING_ANONYMOUS || now->kind == MAPPING_HEAP;
}

// What is known of the faults in a mapping. Tracked mappings may be cut otherwise than the kernel's.
static struct pages_range pages_make_range(const struct pages *pages, const struct process *process,
                                           const struct mapping *now, bool *is_touched)
{
    struct pages_range range = {
        .start = now->start,
        .end = now->end,
        .is_counted = pages->sees_touches && !process->is_attached && pages_is_private(now),
    };
    *is_touched = !pages->sees_touches;
    for (uint64_t at = now->start; at < now->end;) {
        const struct mapping *tracked = address_space_find(&process->space, at);
        *is_touched |= tracked && tracked->touched;
        range.placed += tracked ? tracked->placed_pages : 0;
        range.serials = table_mix(range.serials, tracked ? tracked->serial : 0);
        range.is_counted &= tracked != NULL; // mremap moves memory and is not reported
        at = tracked ? tracked->end : address_space_next(&process->space, at); // a gap may have many TiB
    }
    return range;
}

static struct pages_job *pages_make_job(const struct pages *pages, const struct process *process,
                                        const struct address_space *space)
{
    uint64_t touched = 0, untouched = 0;
    struct pages_job *job = malloc(sizeof *job + space->count * sizeof *job->ranges);
    if (!job)
        return NULL;
    *job = (struct pages_job){.pid = process->shown, .process = process->id};
    for (size_t i = 0; i < space->count; i++) {
        bool is_touched;
        if (!pages_of_interest(&space->items[i]))
            continue;
        struct pages_range *range = &job->ranges[job->count++];
        *range = pages_make_range(pages, process, &space->items[i], &is_touched);
        range->stride = is_touched; // for now
        *(is_touched ? &touched : &untouched) += (range->end - range->start) / pages->page_bytes;
    }
    for (size_t i = 0; i < job->count; i++)
        job->ranges[i].stride =
            job->ranges[i].stride ? touched / PAGES_PER_SNAPSHOT + 1 : untouched / PAGES_UNTOUCHED + 1;
    return job;
}

// The job for a process now, or NULL: nothing to ask about.
static struct pages_job *pages_plan(struct pages *pages, struct process *process, uint64_t now, const char *cause)
{
    struct address_space space = {0};
    struct pages_job *job = NULL;
    process->snapshot_at = now;
    // What is unmapped is not reported, so the mappings are read anew.
    int status = address_space_read(&space, &pages->tasks->paths, process->shown);
    if (status < 0)
        atomic_store(&pages->error, status);
    else
        job = pages_make_job(pages, process, &space);
    address_space_clear(&space);
    if (job && job->count == 0) {
        free(job);
        return NULL;
    }
    if (job) {
        job->snapshot = ++pages->snapshots;
        job->t_ns = tasks_time(pages->tasks, now);
        job->cause = cause;
    }
    return job;
}

// --- the end of processes that nobody looked at then

static void pages_keep_look(struct pages *pages, struct pages_job *job)
{
    uint64_t before = 0;
    table_get(&pages->looks, (uint64_t)job->process, &before);
    const int status = table_put(&pages->looks, (uint64_t)job->process, (uintptr_t)job);
    free(status == 0 ? (struct pages_job *)(uintptr_t)before : job);
}

static struct pages_job *pages_take_look(struct pages *pages, int64_t process)
{
    uint64_t look = 0;
    if (pages->runs)
        pthread_mutex_lock(&pages->mutex);
    if (table_get(&pages->looks, (uint64_t)process, &look))
        table_remove(&pages->looks, (uint64_t)process);
    if (pages->runs)
        pthread_mutex_unlock(&pages->mutex);
    return (struct pages_job *)(uintptr_t)look;
}

// Faults that came after the look count as placed: what is left was placed otherwise for certain. A mapping that took
// the place of another one since then is left out.
void pages_ended(struct pages *pages, const struct process *process)
{
    struct pages_job *look = pages_take_look(pages, process->id);
    for (size_t i = 0; look && !process->had_last_look && i < look->count; i++) {
        const struct pages_range *then = &look->ranges[i];
        const struct mapping place = {.start = then->start, .end = then->end, .kind = MAPPING_ANONYMOUS};
        bool unused;
        const struct pages_range now = pages_make_range(pages, process, &place, &unused);
        if (!then->is_counted || !now.is_counted || now.serials != then->serials)
            continue;
        const uint64_t unseen = pages_unseen(then->present, now.placed);
        pages->unseen_pages += unseen;
        pages->unseen_early |= unseen > 0;
    }
    free(look);
}

void pages_forget(struct pages *pages, const struct process *process)
{
    free(pages_take_look(pages, process->id));
}

void pages_snapshot(struct pages *pages, struct process *process, uint64_t now, const char *cause)
{
    process->had_last_look = true;
    struct pages_job *job = pages_plan(pages, process, now, cause);
    if (job)
        pages_do(pages, job);
    free(job);
}

// --- the thread

static void *pages_thread(void *argument)
{
    struct pages *pages = argument;
    pthread_mutex_lock(&pages->mutex);
    while (!pages->stop) {
        if (!pages->job) {
            pthread_cond_wait(&pages->changed, &pages->mutex);
            continue;
        }
        pthread_mutex_unlock(&pages->mutex);
        pages_do(pages, pages->job);
        pthread_mutex_lock(&pages->mutex);
        pages_keep_look(pages, pages->job);
        pages->job = NULL;
    }
    pthread_mutex_unlock(&pages->mutex);
    return NULL;
}

// Containers often forbid move_pages: tried on a page of our own.
static bool pages_may_ask(void)
{
    uint64_t address = (uintptr_t)&pages_may_ask;
    int32_t state;
    return pages_state_query(getpid(), &address, 1, &state) > 0 && state >= 0;
}

int pages_start(struct pages *pages)
{
    pages->only_counts = !pages_may_ask();
    if (pages->only_counts && pages->only_move_pages) {
        pages->error = -EPERM;
        return -EPERM;
    }
    pthread_mutex_init(&pages->mutex, NULL);
    pthread_cond_init(&pages->changed, NULL);
    int status = thread_create(&pages->thread, pages_thread, pages);
    pages->runs = status == 0;
    return status;
}

void pages_stop(struct pages *pages)
{
    if (!pages->runs)
        return;
    pthread_mutex_lock(&pages->mutex);
    pages->stop = true;
    pthread_cond_signal(&pages->changed);
    pthread_mutex_unlock(&pages->mutex);
    pthread_join(pages->thread, NULL);
    pthread_mutex_destroy(&pages->mutex);
    pthread_cond_destroy(&pages->changed);
    free(pages->job);
    pages->runs = false;
}

void pages_free(struct pages *pages)
{
    uint64_t process, look;
    for (size_t at = 0; table_next(&pages->looks, &at, &process, &look);)
        free((struct pages_job *)(uintptr_t)look);
    table_free(&pages->looks);
}

static bool pages_is_busy(struct pages *pages)
{
    pthread_mutex_lock(&pages->mutex);
    bool busy = pages->job != NULL;
    pthread_mutex_unlock(&pages->mutex);
    return busy;
}

static void pages_give(struct pages *pages, struct pages_job *job)
{
    pthread_mutex_lock(&pages->mutex);
    pages->job = job;
    pthread_cond_signal(&pages->changed);
    pthread_mutex_unlock(&pages->mutex);
}

static bool pages_is_due(const struct pages *pages, const struct process *process, uint64_t now, bool pages_move)
{
    if (process->had_last_look || (pages->sees_touches && process->touched_at == 0))
        return false; // it is ending, or has nothing
    uint64_t last = process->snapshot_at ? process->snapshot_at : process->start;
    bool changed = process->snapshot_at == 0 || process->touched_at > process->snapshot_at || pages_move ||
                   !pages->sees_touches;
    // The interval grows with age: a tenth more snapshots for ten times the life, or two where none is taken at the
    // end.
    uint64_t interval = (last - process->start) / (process->has_library ? 1 : 2) + PAGES_FIRST_MS * CLOCK_MS;
    uint64_t longest = PAGES_LAST_MS * CLOCK_MS;
    // The kernel may place memory without a fault to be seen: a process is looked at anew also where nothing changed.
    return now - last >= (interval < longest || !changed ? interval : longest);
}

void pages_tick(struct pages *pages, uint64_t now, bool pages_move)
{
    uint64_t pid, value;
    if (!pages->runs || pages_is_busy(pages))
        return;
    for (size_t at = 0; table_next(&pages->tasks->processes, &at, &pid, &value);) {
        struct process *process = (struct process *)(uintptr_t)value;
        struct pages_job *job =
            pages_is_due(pages, process, now, pages_move) ? pages_plan(pages, process, now, "interval") : NULL;
        if (job) {
            pages_give(pages, job);
            return;
        }
    }
}
