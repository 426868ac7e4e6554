// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/truth.h"

#include <errno.h>
#include <stdlib.h>

#include "lab/hardware/cpu.h"

// A CPU's rows, and where to find them by key: open addressing, never more than half full.
struct truth {
    struct lab_row *rows, *latest;
    uint32_t limit, mask;
    uint32_t places[]; // number of the row + 1; 0: empty
};

int truth_init(struct lab_shared *shared)
{
    uint32_t limit = shared->truth_rows, size = 1;
    if (limit == 0)
        return 0;
    while (size < 2 * limit)
        size *= 2;
    for (unsigned i = 0; i < machine.cpus; i++) {
        struct truth *truth = calloc(1, sizeof *truth + size * sizeof *truth->places);
        if (!truth)
            return -ENOMEM;
        truth->rows = lab_rows(shared, i);
        truth->limit = limit;
        truth->mask = size - 1;
        cpus[i]->truth = truth;
    }
    return 0;
}

// The row of the key, made if there is room; NULL: there is none.
static struct lab_row *truth_row(struct truth *truth, struct lab_cpu *shared, uint64_t key)
{
    static const uint64_t golden = 0x9e3779b97f4a7c15; // 2^64 / golden ratio: spreads consecutive pages
    uint32_t place = (uint32_t)(key * golden >> 32) & truth->mask;
    for (; truth->places[place]; place = (place + 1) & truth->mask)
        if (truth->rows[truth->places[place] - 1].key == key)
            return &truth->rows[truth->places[place] - 1];
    if (shared->rows == truth->limit)
        return NULL;
    struct lab_row *row = &truth->rows[shared->rows];
    *row = (struct lab_row){.key = key};
    truth->places[place] = ++shared->rows;
    return row;
}

void truth_count(struct cpu *cpu, enum lab_class class, const struct counters_access *access)
{
    static const int8_t columns[LAB_CLASSES] = {
        [LAB_READ] = 0, [LAB_RFO] = 1, [LAB_FETCH] = -1, [LAB_WRITE_BACK] = -1, [LAB_PREFETCH_READ] = 2,
            [LAB_PREFETCH_RFO] = 3};
    struct truth *truth = cpu->truth;
    if (columns[class] < 0 || access->outcome < LAB_MEMORY)
        return;
    uint64_t key =
        lab_row_key(cpu->shared->task, machine_home(access->physical), access->address >> MACHINE_PAGE_SHIFT);
    if (!truth->latest || truth->latest->key != key)
        truth->latest = truth_row(truth, cpu->shared, key);
    if (truth->latest)
        truth->latest->lines[access->outcome >= LAB_CACHE && access->outcome < LAB_SLOW][columns[class]]++;
    else
        cpu->shared->rows_lost++;
}
