// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/place.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PLACE_ASK = 4096 }; // pages in one question

int place_map(struct place *place, size_t bytes, const struct cpulist *nodes, bool huge)
{
    size_t mapped = bytes + PLACE_HUGE_BYTES;
    char *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return -errno;
    char *base = mapping + (PLACE_HUGE_BYTES - (uintptr_t)mapping % PLACE_HUGE_BYTES) % PLACE_HUGE_BYTES;
    *place = (struct place){.base = base, .bytes = bytes, .mapping = mapping, .mapped = mapped};
    madvise(base, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); // refused: the kernel has no huge pages
    int policy = cpulist_count(nodes) > 1 ? MPOL_INTERLEAVE : MPOL_BIND;
    place->is_bound = syscall(SYS_mbind, base, bytes, policy, nodes->bits, (unsigned long)CPULIST_MAX, 0) == 0;
    return 0;
}

void place_unmap(struct place *place)
{
    if (place->base)
        munmap(place->mapping, place->mapped);
    *place = (struct place){0};
}

void place_touch(const struct place *place, size_t from, size_t until)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = from; at < until; at += page)
        *(volatile char *)(place->base + at) = 0;
}

// "7f12..-7f34.. rw-p ..." begins a mapping in smaps; lines "AnonHugePages:  N kB" follow. The advice split the mapping
// at our borders, so that its ranges lie inside or outside.
void place_look(struct place *place)
{
    char line[256];
    FILE *smaps = fopen("/proc/self/smaps", "re");
    bool inside = false;
    place->huge_bytes = 0;
    while (smaps && fgets(line, sizeof line, smaps)) {
        uint64_t start, end;
        size_t kilobytes;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
            inside = start >= (uintptr_t)place->base && end <= (uintptr_t)place->base + place->bytes;
        else if (inside && sscanf(line, "AnonHugePages: %zu kB", &kilobytes) == 1)
            place->huge_bytes += kilobytes * 1024;
    }
    if (smaps)
        fclose(smaps);
}

static int place_ask(const char *base, size_t count, size_t page, int *answers)
{
    void *pages[PLACE_ASK];
    for (size_t i = 0; i < count; i++)
        pages[i] = (void *)(uintptr_t)(base + i * page);
    return syscall(SYS_move_pages, 0, count, pages, NULL, answers, 0) < 0 ? -errno : 0;
}

static void place_count(struct place_report *report, const struct cpulist *nodes, const size_t *on_node)
{
    report->least = SIZE_MAX;
    for (int node = cpulist_next(nodes, 0); node >= 0; node = cpulist_next(nodes, node + 1)) {
        report->right += on_node[node];
        report->least = on_node[node] < report->least ? on_node[node] : report->least;
        report->most = on_node[node] > report->most ? on_node[node] : report->most;
    }
}

int place_verify(const struct place *place, const struct cpulist *nodes, struct place_report *report)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), *on_node = calloc(CPULIST_MAX, sizeof *on_node);
    int answers[PLACE_ASK], status = on_node ? 0 : -ENOMEM;
    *report = (struct place_report){.pages = place->bytes / page};
    for (size_t first = 0; status == 0 && first < report->pages; first += PLACE_ASK) {
        size_t count = report->pages - first < PLACE_ASK ? report->pages - first : PLACE_ASK;
        status = place_ask(place->base + first * page, count, page, answers);
        for (size_t i = 0; status == 0 && i < count; i++)
            if (answers[i] >= 0 && answers[i] < CPULIST_MAX)
                on_node[answers[i]]++;
    }
    if (status == 0)
        place_count(report, nodes, on_node);
    free(on_node);
    return status;
}
