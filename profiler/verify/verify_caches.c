// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify_caches.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "core/topology/thread_mask.h"
#include "profiler/measure/memory/memory_extent.h"
#include "profiler/verify/verify_count.h"
#include "profiler/verify/verify_site.h"

enum {
    CACHES_SWEEPS = 4,        // other memory to read, in sizes of the largest cache
    CACHES_BYTES = 64 << 20,  // assumed size of the largest cache, where the kernel does not report it
    CACHES_TRIES = 3,         // each with twice the memory of the previous one
};
#define CACHES_ALL 0.95       // share of the lines that come from memory again: the caches were empty
#define CACHES_MORE 1.02      // ratio to the previous try: reading more memory emptied more

static int caches_make_junk(struct verify_caches *caches, size_t bytes)
{
    char *junk = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (junk == MAP_FAILED)
        return -ENOMEM;
    if (caches->junk)
        munmap(caches->junk, caches->junk_bytes);
    caches->junk = junk;
    caches->junk_bytes = bytes;
    return 0;
}

void verify_caches_empty(const struct verify_caches *caches, const struct topology *t,
                         const struct memory_bound *memory)
{
    if (caches->flush_works) {
        verify_access_flush(memory->base, memory->bytes);
        return;
    }
    for (size_t i = 0; i < t->node_count; i++) {
        const int cpu = verify_site_cpu(t, t->nodes[i].id);
        if (cpu >= 0 && thread_mask_bind(0, cpu) == 0)
            verify_access_sweep(caches->junk, caches->junk_bytes);
    }
}

struct caches_try {
    const struct counters *counters;
    const struct topology *t;
    const struct memory_bound *memory;
    struct verify_access access;
    int cpu;
};

// Lines that the group counted in a second walk, after the caches were emptied.
static uint64_t caches_read_again(const struct verify_caches *caches, const struct caches_try *try, int group)
{
    uint64_t values[EVENT_PLAN_GROUP_EVENTS] = {0}, lines = 0;
    struct verify_count count;
    thread_mask_bind(0, try->cpu);
    verify_access_random(&try->access);
    verify_caches_empty(caches, try->t, try->memory);
    thread_mask_bind(0, try->cpu);
    if (verify_count_open(&count, &try->counters->groups[group]) == 0 &&
        verify_count_run(&count, verify_access_random, &try->access, values) == 0)
        for (int i = 0; i < try->counters->groups[group].count; i++)
            lines += values[i];
    verify_count_close(&count);
    return lines;
}

// Lines of the first group that counts at least half of them; else of the group that counts most.
static uint64_t caches_lines_again(const struct verify_caches *caches, const struct caches_try *try)
{
    uint64_t lines = 0;
    for (int i = 0; i < try->counters->group_count && lines < try->access.lines / 2; i++)
        if (try->counters->groups[i].error == 0 && i != try->counters->loads_group) {
            const uint64_t found = caches_read_again(caches, try, i);
            lines = found > lines ? found : lines;
        }
    return lines;
}

int verify_caches_choose(struct verify_caches *caches, const struct counters *counters, const struct topology *t,
                         const struct memory_bound *memory, size_t lines, bool may_flush)
{
    const struct caches_try try = {.counters = counters, .t = t, .memory = memory, .cpu = sched_getcpu(),
                                   .access = {.chunk = memory->base, .lines = lines, .chunks = 1}};
    const int64_t cache = memory_extent_cache(t);
    size_t bytes = CACHES_SWEEPS * (cache > 0 ? (size_t)cache : CACHES_BYTES);
    char probe;
    caches->flush_works = may_flush && verify_access_flush(&probe, 1) == 0;
    caches->flush_works = caches->flush_works && caches_lines_again(caches, &try) >= lines / 2;
    double before = 0, found = 0;
    for (int i = 0; !caches->flush_works && i < CACHES_TRIES && found < CACHES_ALL * (double)lines; i++, bytes *= 2) {
        if (caches_make_junk(caches, bytes) < 0)
            return caches->junk ? 0 : -ENOMEM;
        before = found;
        found = (double)caches_lines_again(caches, &try);
        if (i > 0 && found <= CACHES_MORE * before)
            break;
    }
    return 0;
}

void verify_caches_free(struct verify_caches *caches)
{
    if (caches->junk)
        munmap(caches->junk, caches->junk_bytes);
    *caches = (struct verify_caches){0};
}
