// SPDX-License-Identifier: Apache-2.0
// Classifies faults. Faults wait until a drain is over; then one system call asks for the nodes of all their pages.
#include <errno.h>
#include <stdlib.h>

#include "collectors/faults/faults.h"
#include "collectors/faults/faults_window.h"
#include "collectors/pages/pages_state.h"
#include "core/topology/topology.h"

enum {
    FAULTS_CLASSIFY_WINDOW_BYTES = 2 << 20, // of a transparent huge page on x86 and most others
    FAULTS_CLASSIFY_PROBES = 3, // other pages of the window that must be there if one fault brought them all
    FAULTS_CLASSIFY_PATIENCE_NS = 200000000, // how long a fault may take: 0.2 s, on emulated machines 0.02 s were seen
    // Many samples' weights: a sum of them is nearly the pages that were touched.
    FAULTS_CLASSIFY_REGION_BYTES = 32 << 20,
    FAULTS_CLASSIFY_REGION_ERRORS = 4, // weights that such a sum may be too large by: few of several threads are
    FAULTS_CLASSIFY_HISTORY_MAX = 400000, // pages remembered of one process: with their table about 20 MiB
};

// Faults of one process that are classified together, with room for probes.
struct faults_classify_batch {
    struct process *process;
    size_t count;
    struct faults_pending *faults[FAULTS_PENDING];
    uint64_t addresses[FAULTS_PENDING * (1 + FAULTS_CLASSIFY_PROBES)];
    int32_t states[FAULTS_PENDING * (1 + FAULTS_CLASSIFY_PROBES)];
    size_t probes_at[FAULTS_PENDING]; // index of a fault's probes, 0: none
    size_t asked;
    bool is_last;                  // no more faults of this process will come
};

// --- history

// A page's history belongs to one mapping: a later mapping at the same address is new.
static uint64_t faults_classify_history_value(const struct mapping *mapping, enum faults_state state)
{
    return mapping->serial << 2 | state;
}

static enum faults_state faults_classify_history(const struct faults *faults, const struct process *process,
                                                 const struct mapping *mapping, uint64_t address)
{
    uint64_t value;
    if (!table_get(&process->fault_history, address / faults->page_bytes, &value))
        return FAULTS_STATE_NEW;
    return value >> 2 == mapping->serial ? (enum faults_state)(value & 3) : FAULTS_STATE_NEW;
}

static void faults_classify_remember(const struct faults *faults, struct process *process, struct mapping *mapping,
                                     uint64_t address, enum faults_kind kind)
{
    bool is_zero = kind == FAULTS_ZERO_PAGE;
    mapping->touched |= faults_kind_places(kind);
    mapping->saw_zero_pages |= is_zero;
    if (!faults_kind_places(kind) && !is_zero)
        return;
    if (process->fault_history.used >= FAULTS_CLASSIFY_HISTORY_MAX ||
        table_put(&process->fault_history, address / faults->page_bytes,
                  faults_classify_history_value(mapping, is_zero ? FAULTS_STATE_ZERO : FAULTS_STATE_TOUCHED)) < 0)
        process->forgets = true;
}

// True if the page was probably touched before (MADV_DONTNEED, swap), although its history is unknown because faults
// are sampled. A region cannot have more first touches than pages, plus the error of the sum. Faults that the sample
// stands for because records were lost may have come to any other region.
static bool faults_classify_is_again(const struct faults *faults, struct process *process,
                                     const struct mapping *mapping, uint64_t address, uint64_t weight)
{
    uint64_t start = address & ~(uint64_t)(FAULTS_CLASSIFY_REGION_BYTES - 1),
        end = start + FAULTS_CLASSIFY_REGION_BYTES;
    uint64_t key = table_mix(start, mapping->serial), touched = 0;
    start = start > mapping->start ? start : mapping->start;
    end = end < mapping->end ? end : mapping->end;
    table_get(&process->fault_regions, key, &touched);
    uint64_t error = FAULTS_CLASSIFY_REGION_ERRORS * weight;
    if (process->forgets && touched >= (end - start) / faults->page_bytes + error)
        return true;
    if (process->fault_regions.used < FAULTS_CLASSIFY_HISTORY_MAX)
        table_put(&process->fault_regions, key, touched + weight);
    return false;
}

// A shared page is on one node however many processes map it: whose fault was the first?
static bool faults_classify_shared_is_known(struct faults *faults, const struct mapping *mapping, uint64_t address)
{
    if (!mapping || mapping->kind != MAPPING_SHARED || mapping->inode == 0)
        return false;
    uint64_t page = (address - mapping->start + mapping->file_offset) / faults->page_bytes, value;
    uint64_t key = table_mix(table_mix(mapping->device, mapping->inode), page);
    if (table_get(&faults->shared_history, key, &value))
        return true;
    if (faults->shared_history.used < FAULTS_CLASSIFY_HISTORY_MAX)
        table_put(&faults->shared_history, key, 1);
    return false;
}

// --- huge pages

static uint64_t faults_classify_window(uint64_t address)
{
    return address & ~(uint64_t)(FAULTS_CLASSIFY_WINDOW_BYTES - 1);
}

static bool faults_classify_may_be_huge(const struct faults *faults, const struct mapping *mapping, uint64_t address)
{
    uint64_t window = faults_classify_window(address);
    bool eligible = mapping->kind == MAPPING_HUGE || (faults->huge_pages && !mapping->file_backed);
    return eligible && mapping->start <= window && mapping->end >= window + FAULTS_CLASSIFY_WINDOW_BYTES;
}

static uint64_t faults_classify_window_key(const struct mapping *mapping, uint64_t address)
{
    return table_mix(faults_classify_window(address), mapping->serial);
}

// The faults of the 2 MiB window so far, 0: none is known.
static uint64_t faults_classify_in_window(const struct process *process, const struct mapping *mapping,
                                          uint64_t address)
{
    uint64_t seen = 0;
    table_get(&process->fault_windows, faults_classify_window_key(mapping, address), &seen);
    return seen;
}

// Returns whether it is the window's first.
static bool faults_classify_add_to_window(struct process *process, const struct mapping *mapping,
                                          const struct faults_pending *fault)
{
    uint64_t seen = faults_classify_in_window(process, mapping, fault->address);
    if (process->fault_windows.used < FAULTS_CLASSIFY_HISTORY_MAX)
        table_put(&process->fault_windows, faults_classify_window_key(mapping, fault->address),
                  faults_window_add(seen, fault->thread));
    return seen == 0;
}

static void faults_classify_add_probes(const struct faults *faults, struct faults_classify_batch *batch, size_t i)
{
    uint64_t address = batch->faults[i]->address, window = faults_classify_window(address);
    batch->probes_at[i] = batch->asked;
    // The page beside it, the middle and the end of the window; the fault's own page would prove nothing.
    uint64_t beside = address & faults->page_bytes ? address - faults->page_bytes : address + faults->page_bytes;
    batch->addresses[batch->asked++] = beside;
    batch->addresses[batch->asked++] = window + FAULTS_CLASSIFY_WINDOW_BYTES / 2 - faults->page_bytes;
    batch->addresses[batch->asked++] = window + FAULTS_CLASSIFY_WINDOW_BYTES - 2 * faults->page_bytes;
}

// The kernel joins neighbouring mappings into one that is new to us: its pages may have come one by one before.
static bool faults_classify_had_own_fault(const struct faults *faults, const struct process *process, uint64_t address)
{
    uint64_t unused;
    return table_get(&process->fault_history, address / faults->page_bytes, &unused);
}

// True if no thread is known to have had two faults in the window.
static bool faults_classify_may_be_one_page(const struct faults_classify_batch *batch, size_t i)
{
    uint64_t address = batch->faults[i]->address;
    const struct mapping *mapping = address_space_find(&batch->process->space, address);
    return mapping && faults_window_may_be_one_page(faults_classify_in_window(batch->process, mapping, address));
}

// All pages of the window have come, and as far as is known with this fault, or with one of another thread that came at
// the same time.
static bool faults_classify_looks_huge(const struct faults *faults, const struct faults_classify_batch *batch, size_t i)
{
    size_t probes = batch->probes_at[i];
    if (!probes || !faults_classify_may_be_one_page(batch, i))
        return false;
    for (size_t p = probes; p < probes + FAULTS_CLASSIFY_PROBES; p++)
        if (batch->states[p] != batch->states[i] ||
            faults_classify_had_own_fault(faults, batch->process, batch->addresses[p]))
            return false;
    return true;
}

// True if the CPU of the fault is on the node of its page.
static bool faults_classify_is_local(const struct faults *faults, const struct faults_classify_batch *batch, size_t i)
{
    const struct topology_cpu *cpu = topology_cpu(faults->topology, batch->faults[i]->cpu);
    return cpu && cpu->node == batch->states[i];
}

// Threads that come to a huge page at the same time clear one each, on their own nodes; the kernel keeps the one that
// is ready first (__do_huge_pmd_anonymous_page in mm/huge_memory.c), which need not be that of the first fault.
static void faults_classify_find_first(const struct faults *faults, struct faults_classify_batch *batch, size_t i)
{
    uint64_t window = faults_classify_window(batch->faults[i]->address);
    if (!faults_classify_looks_huge(faults, batch, i) || faults_classify_is_local(faults, batch, i))
        return;
    size_t j = i + 1;
    while (j < batch->count && (faults_classify_window(batch->faults[j]->address) != window ||
                                !faults_classify_is_local(faults, batch, j)))
        j++;
    if (j == batch->count)
        return;
    batch->faults[i]->is_first = false;
    batch->faults[j]->is_first = true;
    batch->probes_at[j] = batch->probes_at[i];
    batch->probes_at[i] = 0;
}

// The event comes before the fault is handled, and clearing a huge page takes a while: no page yet is not an answer.
// And the window's other faults may already have happened and still wait in a ring: then ask again after the next
// drain.
static bool faults_classify_must_wait(const struct faults *faults, const struct faults_classify_batch *batch, size_t i)
{
    struct faults_pending *fault = batch->faults[i];
    if (fault->held_at_drain == 0)
        fault->held_at_drain = faults->streams->drains;
    if (batch->is_last)
        return false;
    if (batch->states[i] == PAGES_ABSENT)
        return faults->streams->drained_at < fault->time + FAULTS_CLASSIFY_PATIENCE_NS;
    bool may_be_huge = fault->is_first ? faults_classify_looks_huge(faults, batch, i)
                                       : faults_classify_may_be_one_page(batch, i);
    return may_be_huge && fault->held_at_drain == faults->streams->drains;
}

// --- one fault

// What was known of the page. A huge page that another thread's fault brings in this moment is no new one.
static enum faults_state faults_classify_before(const struct faults *faults, const struct process *process,
                                                const struct mapping *mapping, const struct faults_pending *fault)
{
    enum faults_state before = faults_classify_history(faults, process, mapping, fault->address);
    bool is_huge = fault->was_mapped_bytes >= FAULTS_CLASSIFY_WINDOW_BYTES && !mapping->saw_zero_pages;
    bool just_came = is_huge && faults_classify_in_window(process, mapping, fault->address) != 0;
    return before == FAULTS_STATE_NEW && just_came ? FAULTS_STATE_TOUCHED : before;
}

// Pages that the fault stands for. Of a huge page, the other threads that came at the same time have one each.
static uint64_t faults_classify_weight(const struct faults *faults, const struct faults_classify_batch *batch, size_t i,
                                       enum faults_kind kind)
{
    const struct faults_pending *fault = batch->faults[i];
    if (!faults_kind_places(kind) || !faults_classify_looks_huge(faults, batch, i))
        return fault->weight;
    const struct mapping *mapping = address_space_find(&batch->process->space, fault->address);
    return FAULTS_CLASSIFY_WINDOW_BYTES / faults->page_bytes -
           faults_window_others(faults_classify_in_window(batch->process, mapping, fault->address));
}

static enum faults_kind faults_classify_kind(struct faults *faults, struct faults_classify_batch *batch, size_t i)
{
    const struct faults_pending *fault = batch->faults[i];
    struct process *process = batch->process;
    struct mapping *mapping = address_space_find(&process->space, fault->address);
    bool is_data = mapping && mapping->kind == MAPPING_STATIC && mapping->file_backed;
    struct faults_facts facts = {
        .mapping = mapping,
        .before = mapping ? faults_classify_before(faults, process, mapping, fault) : FAULTS_STATE_NEW,
        .now = batch->states[i],
        .is_file_page = is_data ? pages_state_is_file(process->shown, fault->address) : -1,
        .tells_mapped = faults->tells_mapped,
        .was_mapped = fault->was_mapped_bytes > 0,
        .saw_all = !process->forgets,
        .saw_zero_pages = mapping && mapping->saw_zero_pages,
        .forked = process->forked || process->has_forked,
        .balancing = faults->balancing,
    };
    enum faults_kind kind = faults_kind_of(&facts);
    if (kind == FAULTS_FIRST_TOUCH && faults_classify_shared_is_known(faults, mapping, fault->address))
        kind = FAULTS_FILE;
    if (mapping)
        faults_classify_remember(faults, process, mapping, fault->address, kind);
    return kind;
}

// First touches beyond the pages of the mapping, which a sample stands for where faults went unseen: they were of
// another kind, or elsewhere.
static uint64_t faults_classify_surplus(const struct faults *faults, const struct mapping *mapping, uint64_t weight)
{
    const uint64_t pages = (mapping->end - mapping->start) / faults->page_bytes;
    const uint64_t all = mapping->new_pages + weight;
    const uint64_t surplus = all > pages ? all - pages : 0;
    return surplus < weight ? surplus : weight - 1;
}

static void faults_classify_count(struct process *process, struct mapping *mapping, const struct faults_pending *fault,
                                  enum faults_kind kind, uint64_t weight)
{
    if (!faults_kind_places(kind))
        return;
    process->touched_at = fault->time;
    if (!mapping)
        return;
    mapping->placed_pages += weight;
    if (kind == FAULTS_FIRST_TOUCH)
        mapping->new_pages += weight;
}

static struct samples_row faults_classify_row(const struct faults *faults, const struct faults_pending *fault,
                                              enum faults_kind kind, uint64_t weight)
{
    struct samples_row row =
        samples_row(kind, faults->event, tasks_time(faults->tasks, fault->time), fault->thread, weight);
    row.cpu = fault->cpu;
    return row;
}

static void faults_classify_put(struct faults *faults, const struct faults_classify_batch *batch, size_t i,
                                enum faults_kind kind, uint64_t weight)
{
    const struct faults_pending *fault = batch->faults[i];
    struct samples_row row = faults_classify_row(faults, fault, kind, weight);
    row.stack = fault->stack;
    row.address = (int64_t)fault->address;
    row.block = objects_block(faults->objects, batch->process, fault->address, fault->time, fault->found);
    row.page_node = batch->states[i] >= 0 ? batch->states[i] : RECORDING_NULL;
    objects_has_row(faults->objects, fault->found, samples_put(faults->samples, &row));
}

static void faults_classify_record(struct faults *faults, struct faults_classify_batch *batch, size_t i)
{
    const struct faults_pending *fault = batch->faults[i];
    struct process *process = batch->process;
    enum faults_kind kind = faults_classify_kind(faults, batch, i);
    uint64_t weight = faults_classify_weight(faults, batch, i, kind), surplus = 0;
    const uint64_t here = weight - (fault->weight - fault->own_weight);
    faults->sampled_weight += fault->weight;
    struct mapping *mapping = address_space_find(&process->space, fault->address);
    if (kind == FAULTS_FIRST_TOUCH && mapping) {
        if (faults_classify_is_again(faults, process, mapping, fault->address, here))
            kind = FAULTS_REFAULT;
        else if (process->forgets)
            surplus = faults_classify_surplus(faults, mapping, weight);
    }
    faults_classify_count(process, mapping, fault, kind, weight - surplus);
    faults_classify_put(faults, batch, i, kind, weight - surplus);
    if (surplus > 0) {
        const struct samples_row row = faults_classify_row(faults, fault, FAULTS_UNKNOWN, surplus);
        samples_put(faults->samples, &row);
    }
}

// --- all of them

// Adds probes for faults that may be of huge pages: downsampled faults (weight > 1) come too fast for that.
static void faults_classify_ask(const struct faults *faults, struct faults_classify_batch *batch)
{
    batch->asked = batch->count;
    for (size_t i = 0; i < batch->count; i++) {
        struct faults_pending *fault = batch->faults[i];
        const struct mapping *mapping = address_space_find(&batch->process->space, fault->address);
        batch->addresses[i] = fault->address;
        batch->probes_at[i] = 0;
        if (!mapping || fault->was_mapped_bytes > 0 || !faults_classify_may_be_huge(faults, mapping, fault->address))
            continue;
        if (!fault->held_at_drain)
            fault->is_first = faults_classify_add_to_window(batch->process, mapping, fault);
        if (fault->is_first && fault->weight == 1)
            faults_classify_add_probes(faults, batch, i);
    }
    pages_state_query(batch->process->shown, batch->addresses, batch->asked, batch->states);
}

static void faults_classify_process(struct faults *faults, struct faults_classify_batch *batch)
{
    faults_classify_ask(faults, batch);
    for (size_t i = 0; i < batch->count; i++) {
        if (faults_classify_must_wait(faults, batch, i))
            continue;
        faults_classify_find_first(faults, batch, i);
        faults_classify_record(faults, batch, i);
        batch->faults[i]->process = NULL; // done
    }
}

// Collects the pending faults of one process in order of time.
static void faults_classify_collect(struct faults *faults, struct faults_classify_batch *batch, struct process *process)
{
    batch->process = process;
    batch->count = 0;
    for (size_t i = 0; i < faults->pending_count; i++)
        if (faults->pending[i].process == process)
            batch->faults[batch->count++] = &faults->pending[i];
}

static void faults_classify_compact(struct faults *faults)
{
    size_t kept = 0;
    for (size_t i = 0; i < faults->pending_count; i++)
        if (faults->pending[i].process)
            faults->pending[kept++] = faults->pending[i];
    faults->pending_count = kept;
}

void faults_classify(struct faults *faults, struct process *ending)
{
    for (size_t i = 0; i < faults->pending_count; i++) {
        struct process *process = faults->pending[i].process;
        if (!process || process->classified_in == faults->classifications + 1)
            continue;
        process->classified_in = faults->classifications + 1;
        faults->batch->is_last = process == ending || faults->hurry;
        faults_classify_collect(faults, faults->batch, process);
        faults_classify_process(faults, faults->batch);
    }
    faults->classifications++;
    faults_classify_compact(faults);
}

int faults_prepare(struct faults *faults)
{
    faults->batch = malloc(sizeof *faults->batch);
    return faults->batch ? 0 : -ENOMEM;
}

void faults_free(struct faults *faults)
{
    table_free(&faults->shared_history);
    free(faults->batch);
    faults->batch = NULL;
}
