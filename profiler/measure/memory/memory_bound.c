// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/memory/memory_bound.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MEMORY_BOUND_ASK = 4096 }; // pages in one question

int memory_bound_map(struct memory_bound *bound, size_t bytes, const struct cpulist *nodes, bool huge)
{
    size_t mapped = bytes + MEMORY_BOUND_HUGE_BYTES;
    char *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return -errno;
    char *base =
        mapping + (MEMORY_BOUND_HUGE_BYTES - (uintptr_t)mapping % MEMORY_BOUND_HUGE_BYTES) % MEMORY_BOUND_HUGE_BYTES;
    *bound = (struct memory_bound){.base = base, .bytes = bytes, .mapping = mapping, .mapped = mapped};
    madvise(base, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); // refused: the kernel has no huge pages
    int policy = cpulist_count(nodes) > 1 ? MPOL_INTERLEAVE : MPOL_BIND;
    bound->is_bound = syscall(SYS_mbind, base, bytes, policy, nodes->bits, (unsigned long)CPULIST_MAX, 0) == 0;
    return 0;
}

void memory_bound_unmap(struct memory_bound *bound)
{
    if (bound->base)
        munmap(bound->mapping, bound->mapped);
    *bound = (struct memory_bound){0};
}

void memory_bound_touch(const struct memory_bound *bound, size_t from, size_t until)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = from; at < until; at += page)
        *(volatile char *)(bound->base + at) = 0;
}

// "7f12..-7f34.. rw-p ..." begins a mapping in smaps; lines "AnonHugePages:  N kB" follow. The advice split the mapping
// at our borders, so that its ranges lie inside or outside.
void memory_bound_look(struct memory_bound *bound)
{
    char line[256];
    FILE *smaps = fopen("/proc/self/smaps", "re");
    bool inside = false;
    bound->huge_bytes = 0;
    while (smaps && fgets(line, sizeof line, smaps)) {
        uint64_t start, end;
        size_t kilobytes;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
            inside = start >= (uintptr_t)bound->base && end <= (uintptr_t)bound->base + bound->bytes;
        else if (inside && sscanf(line, "AnonHugePages: %zu kB", &kilobytes) == 1)
            bound->huge_bytes += kilobytes * 1024;
    }
    if (smaps)
        fclose(smaps);
}

static int memory_bound_ask(const char *base, size_t count, size_t page, int *answers)
{
    void *pages[MEMORY_BOUND_ASK];
    for (size_t i = 0; i < count; i++)
        pages[i] = (void *)(uintptr_t)(base + i * page);
    return syscall(SYS_move_pages, 0, count, pages, NULL, answers, 0) < 0 ? -errno : 0;
}

static void memory_bound_count(struct memory_bound_report *report, const struct cpulist *nodes, const size_t *on_node)
{
    report->least = SIZE_MAX;
    for (int node = cpulist_next(nodes, 0); node >= 0; node = cpulist_next(nodes, node + 1)) {
        report->right += on_node[node];
        report->least = on_node[node] < report->least ? on_node[node] : report->least;
        report->most = on_node[node] > report->most ? on_node[node] : report->most;
    }
}

int memory_bound_verify(const struct memory_bound *bound, const struct cpulist *nodes,
                        struct memory_bound_report *report)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), *on_node = calloc(CPULIST_MAX, sizeof *on_node);
    int answers[MEMORY_BOUND_ASK], status = on_node ? 0 : -ENOMEM;
    *report = (struct memory_bound_report){.pages = bound->bytes / page};
    for (size_t first = 0; status == 0 && first < report->pages; first += MEMORY_BOUND_ASK) {
        size_t count = report->pages - first < MEMORY_BOUND_ASK ? report->pages - first : MEMORY_BOUND_ASK;
        status = memory_bound_ask(bound->base + first * page, count, page, answers);
        for (size_t i = 0; status == 0 && i < count; i++)
            if (answers[i] >= 0 && answers[i] < CPULIST_MAX)
                on_node[answers[i]]++;
    }
    if (status == 0)
        memory_bound_count(report, nodes, on_node);
    free(on_node);
    return status;
}
