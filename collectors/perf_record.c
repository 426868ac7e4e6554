// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf_record.h"

#include <errno.h>
#include <string.h>

// A place in a record that never goes beyond its end: what is not there reads as 0 and marks the cursor as short.
struct record_cursor {
    const char *at, *end;
    bool is_short;
};

static struct record_cursor record_body(const struct perf_event_header *header)
{
    return (struct record_cursor){.at = (const char *)(header + 1), .end = (const char *)header + header->size};
}

static const void *record_take(struct record_cursor *c, uint64_t bytes)
{
    if (bytes > (uint64_t)(c->end - c->at)) {
        c->is_short = true;
        c->at = c->end;
        return NULL;
    }
    const void *taken = c->at;
    c->at += bytes;
    return taken;
}

static uint64_t record_u64(struct record_cursor *c)
{
    const uint64_t *value = record_take(c, sizeof *value);
    return value ? *value : 0;
}

static void record_u32_pair(struct record_cursor *c, uint32_t *first, uint32_t *second)
{
    uint64_t pair = record_u64(c);
    memcpy(first, &pair, sizeof *first);
    memcpy(second, (const char *)&pair + sizeof *first, sizeof *second);
}

static void record_chain(struct record_cursor *c, struct perf_sample *sample)
{
    uint64_t count = record_u64(c);
    if (count > UINT16_MAX / sizeof(uint64_t))
        count = UINT16_MAX; // more than fits in a record: take() refuses it
    sample->chain = record_take(c, count * sizeof(uint64_t));
    sample->chain_count = sample->chain ? count : 0;
}

static void record_regs(struct record_cursor *c, uint64_t mask, struct perf_sample *sample)
{
    uint64_t abi = record_u64(c);
    if (abi != PERF_SAMPLE_REGS_ABI_NONE)
        sample->regs = record_take(c, (uint64_t)__builtin_popcountll(mask) * sizeof(uint64_t));
}

static void record_stack(struct record_cursor *c, struct perf_sample *sample)
{
    uint64_t room = record_u64(c);
    if (room == 0)
        return;
    sample->stack = record_take(c, room);
    uint64_t copied = record_u64(c); // dyn_size: how much of the room holds stack
    sample->stack_bytes = sample->stack ? (copied < room ? copied : room) : 0;
}

// The order of the fields is the kernel's: perf_event_open(2), PERF_RECORD_SAMPLE.
int perf_record_sample(const struct perf_event_header *header, const struct perf_layout *layout,
                       struct perf_sample *sample)
{
    struct record_cursor c = record_body(header);
    uint64_t type = layout->sample_type;
    uint32_t reserved;
    *sample = (struct perf_sample){
        .in_kernel = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL,
    };
    if (type & PERF_SAMPLE_IDENTIFIER)
        sample->id = record_u64(&c);
    if (type & PERF_SAMPLE_IP)
        sample->ip = record_u64(&c);
    if (type & PERF_SAMPLE_TID)
        record_u32_pair(&c, &sample->pid, &sample->tid);
    if (type & PERF_SAMPLE_TIME)
        sample->time = record_u64(&c);
    if (type & PERF_SAMPLE_ADDR)
        sample->address = record_u64(&c);
    if (type & PERF_SAMPLE_CPU)
        record_u32_pair(&c, &sample->cpu, &reserved);
    if (type & PERF_SAMPLE_PERIOD)
        sample->period = record_u64(&c);
    if (type & PERF_SAMPLE_CALLCHAIN)
        record_chain(&c, sample);
    if (type & PERF_SAMPLE_REGS_USER)
        record_regs(&c, layout->regs_user, sample);
    if (type & PERF_SAMPLE_STACK_USER)
        record_stack(&c, sample);
    if (type & PERF_SAMPLE_WEIGHT)
        sample->weight = record_u64(&c);
    if (type & PERF_SAMPLE_DATA_SRC)
        sample->source = record_u64(&c);
    if (type & PERF_SAMPLE_PHYS_ADDR)
        sample->physical = record_u64(&c);
    if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
        sample->page_bytes = record_u64(&c);
    return c.is_short ? -EBADMSG : 0;
}

// Records other than samples end with these fields (sample_id_all): thread, time, CPU, identifier.
static uint64_t record_time_at_end(const struct perf_event_header *header, const struct perf_layout *layout)
{
    uint64_t type = layout->sample_type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
    uint64_t bytes = (uint64_t)__builtin_popcountll(type) * sizeof(uint64_t);
    struct record_cursor c = record_body(header);
    if (!(type & PERF_SAMPLE_TIME) || bytes > (uint64_t)(c.end - c.at))
        return 0;
    c.at = c.end - bytes;
    if (type & PERF_SAMPLE_TID)
        record_u64(&c);
    return record_u64(&c);
}

uint64_t perf_record_time(const struct perf_event_header *header, const struct perf_layout *layout)
{
    if (header->type != PERF_RECORD_SAMPLE)
        return record_time_at_end(header, layout);
    uint64_t before = layout->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
    struct record_cursor c = record_body(header);
    record_take(&c, (uint64_t)__builtin_popcountll(before) * sizeof(uint64_t));
    return record_u64(&c);
}

// A text that ends the fixed part of a record; always terminated within it.
static const char *record_text(struct record_cursor *c)
{
    const char *end = memchr(c->at, '\0', (size_t)(c->end - c->at));
    if (!end) {
        c->is_short = true;
        return "";
    }
    const char *text = c->at;
    c->at = end + 1;
    return text;
}

int perf_record_mmap2(const struct perf_event_header *header, struct perf_mmap *mmap)
{
    struct record_cursor c = record_body(header);
    *mmap = (struct perf_mmap){0};
    record_u32_pair(&c, &mmap->pid, &mmap->tid);
    mmap->address = record_u64(&c);
    mmap->bytes = record_u64(&c);
    mmap->file_offset = record_u64(&c);
    record_u32_pair(&c, &mmap->major, &mmap->minor); // or a build id's length and first bytes: see MISC_MMAP_BUILD_ID
    mmap->inode = record_u64(&c);
    record_u64(&c); // inode generation
    record_u32_pair(&c, &mmap->protection, &mmap->flags);
    mmap->name = record_text(&c);
    return c.is_short ? -EBADMSG : 0;
}

int perf_record_comm(const struct perf_event_header *header, struct perf_comm *comm)
{
    struct record_cursor c = record_body(header);
    *comm = (struct perf_comm){.exec = header->misc & PERF_RECORD_MISC_COMM_EXEC};
    record_u32_pair(&c, &comm->pid, &comm->tid);
    comm->name = record_text(&c);
    return c.is_short ? -EBADMSG : 0;
}

int perf_record_task(const struct perf_event_header *header, struct perf_task *task)
{
    struct record_cursor c = record_body(header);
    *task = (struct perf_task){0};
    record_u32_pair(&c, &task->pid, &task->parent_pid);
    record_u32_pair(&c, &task->tid, &task->parent_tid);
    return c.is_short ? -EBADMSG : 0;
}

int perf_record_lost(const struct perf_event_header *header, uint64_t *lost)
{
    struct record_cursor c = record_body(header);
    if (header->type == PERF_RECORD_LOST)
        record_u64(&c); // the event's id
    *lost = record_u64(&c);
    return c.is_short ? -EBADMSG : 0;
}
