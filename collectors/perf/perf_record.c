// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/perf_record.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "collectors/perf/perf_bytes.h"

// Fields of a sample that older headers do not name, and what stands in them (include/uapi/linux/perf_event.h).
#define PERF_RECORD_HAS_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define PERF_RECORD_HAS_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define PERF_RECORD_BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define PERF_RECORD_BRANCH_COUNTERS (UINT64_C(1) << 19)
enum { PERF_RECORD_BRANCH_BYTES = 24, PERF_RECORD_BUILD_ID_MOST = 20 };

static struct perf_bytes perf_record_body(const struct perf_event_header *header)
{
    return (struct perf_bytes){.at = (const char *)(header + 1), .end = (const char *)header + header->size};
}

// What follows in whole words, as the kernel pads it.
static const void *perf_record_padded(struct perf_bytes *c, uint64_t bytes)
{
    return perf_bytes_take(c, bytes > UINT16_MAX ? UINT64_MAX : (bytes + 7) & ~UINT64_C(7));
}

// So many items, each of so many bytes.
static void perf_record_skip(struct perf_bytes *c, uint64_t count, uint64_t bytes)
{
    perf_bytes_take(c, count > UINT16_MAX ? UINT64_MAX : count * bytes);
}

static void perf_record_u32_pair(struct perf_bytes *c, uint32_t *first, uint32_t *second)
{
    uint64_t pair = perf_bytes_u64(c);
    memcpy(first, &pair, sizeof *first);
    memcpy(second, (const char *)&pair + sizeof *first, sizeof *second);
}

static void perf_record_chain(struct perf_bytes *c, struct perf_sample *sample)
{
    uint64_t count = perf_bytes_u64(c);
    if (count > UINT16_MAX / sizeof(uint64_t))
        count = UINT16_MAX; // more than fits in a record: take() refuses it
    sample->chain = perf_bytes_take(c, count * sizeof(uint64_t));
    sample->chain_count = sample->chain ? count : 0;
}

static void perf_record_regs(struct perf_bytes *c, uint64_t mask, struct perf_sample *sample)
{
    uint64_t abi = perf_bytes_u64(c);
    if (abi != PERF_SAMPLE_REGS_ABI_NONE)
        sample->regs = perf_bytes_take(c, (uint64_t)__builtin_popcountll(mask) * sizeof(uint64_t));
}

// Counts of the event or its group: perf_event_open(2), "reading results".
static void perf_record_group(struct perf_bytes *c, uint64_t format, struct perf_sample *sample)
{
    const char *start = c->at;
    const uint64_t times = format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    const uint64_t words = 1 + (uint64_t)__builtin_popcountll(format & (PERF_FORMAT_ID | PERF_RECORD_READ_LOST));
    const uint64_t count = format & PERF_FORMAT_GROUP ? perf_bytes_u64(c) : 1;
    perf_record_skip(c, (uint64_t)__builtin_popcountll(times), sizeof(uint64_t));
    perf_record_skip(c, count, words * sizeof(uint64_t));
    if (c->is_short)
        return;
    sample->group = (const uint64_t *)(const void *)start;
    sample->group_words = (uint64_t)(c->at - start) / sizeof(uint64_t);
}

// PERF_SAMPLE_RAW: 32 bits of length, then so much, padded together.
static void perf_record_raw(struct perf_bytes *c, struct perf_sample *sample)
{
    uint32_t bytes = 0;
    if ((uint64_t)(c->end - c->at) >= sizeof bytes)
        memcpy(&bytes, c->at, sizeof bytes);
    const char *raw = perf_record_padded(c, sizeof bytes + (uint64_t)bytes);
    sample->raw = raw ? raw + sizeof bytes : NULL;
    sample->raw_bytes = raw ? bytes : 0;
}

static void perf_record_branches(struct perf_bytes *c, uint64_t branches)
{
    const uint64_t count = perf_bytes_u64(c);
    if (branches & PERF_RECORD_BRANCH_HW_INDEX)
        perf_bytes_u64(c);
    perf_record_skip(c, count, PERF_RECORD_BRANCH_BYTES);
    if (branches & PERF_RECORD_BRANCH_COUNTERS)
        perf_record_skip(c, count, sizeof(uint64_t));
}

static void perf_record_stack(struct perf_bytes *c, struct perf_sample *sample)
{
    uint64_t room = perf_bytes_u64(c);
    if (room == 0)
        return;
    sample->stack = perf_record_padded(c, room);
    uint64_t copied = perf_bytes_u64(c); // dyn_size: how much of the room holds stack
    sample->stack_bytes = sample->stack ? (copied < room ? copied : room) : 0;
}

static void perf_record_large_fields(struct perf_bytes *c, const struct perf_layout *layout,
                                     struct perf_sample *sample)
{
    const uint64_t type = layout->sample_type;
    if (type & PERF_SAMPLE_READ)
        perf_record_group(c, layout->read_format, sample);
    if (type & PERF_SAMPLE_CALLCHAIN)
        perf_record_chain(c, sample);
    if (type & PERF_SAMPLE_RAW)
        perf_record_raw(c, sample);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        perf_record_branches(c, layout->branches);
    if (type & PERF_SAMPLE_REGS_USER)
        perf_record_regs(c, layout->regs_user, sample);
    if (type & PERF_SAMPLE_STACK_USER)
        perf_record_stack(c, sample);
}

static void perf_record_memory_fields(struct perf_bytes *c, const struct perf_layout *layout,
                                      struct perf_sample *sample)
{
    const uint64_t type = layout->sample_type;
    struct perf_sample unwanted;
    if (type & (PERF_SAMPLE_WEIGHT | PERF_RECORD_HAS_WEIGHT_STRUCT))
        sample->weight = perf_bytes_u64(c);
    if (type & PERF_SAMPLE_DATA_SRC)
        sample->source = perf_bytes_u64(c);
    if (type & PERF_SAMPLE_TRANSACTION)
        perf_bytes_u64(c);
    if (type & PERF_SAMPLE_REGS_INTR)
        perf_record_regs(c, layout->regs_intr, &unwanted);
    if (type & PERF_SAMPLE_PHYS_ADDR)
        sample->physical = perf_bytes_u64(c);
    if (type & PERF_SAMPLE_CGROUP)
        perf_bytes_u64(c);
    if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
        sample->page_bytes = perf_bytes_u64(c);
    if (type & PERF_RECORD_HAS_CODE_PAGE_SIZE)
        perf_bytes_u64(c);
}

// The order of the fields is the kernel's: perf_event_open(2), PERF_RECORD_SAMPLE.
int perf_record_sample(const struct perf_event_header *header, const struct perf_layout *layout,
                       struct perf_sample *sample)
{
    struct perf_bytes c = perf_record_body(header);
    uint64_t type = layout->sample_type;
    uint32_t reserved;
    *sample = (struct perf_sample){
        .in_kernel = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL,
    };
    if (type & PERF_SAMPLE_IDENTIFIER)
        sample->id = perf_bytes_u64(&c);
    if (type & PERF_SAMPLE_IP)
        sample->ip = perf_bytes_u64(&c);
    if (type & PERF_SAMPLE_TID)
        perf_record_u32_pair(&c, &sample->pid, &sample->tid);
    if (type & PERF_SAMPLE_TIME)
        sample->time = perf_bytes_u64(&c);
    if (type & PERF_SAMPLE_ADDR)
        sample->address = perf_bytes_u64(&c);
    if (type & PERF_SAMPLE_ID)
        sample->id = perf_bytes_u64(&c);
    if (type & PERF_SAMPLE_STREAM_ID)
        sample->stream = perf_bytes_u64(&c);
    if (type & PERF_SAMPLE_CPU)
        perf_record_u32_pair(&c, &sample->cpu, &reserved);
    if (type & PERF_SAMPLE_PERIOD)
        sample->period = perf_bytes_u64(&c);
    perf_record_large_fields(&c, layout, sample);
    perf_record_memory_fields(&c, layout, sample);
    return c.is_short ? -EBADMSG : 0;
}

// Records other than samples end with these fields (sample_id_all): thread, time, CPU, identifier.
static uint64_t perf_record_time_at_end(const struct perf_event_header *header, const struct perf_layout *layout)
{
    uint64_t type = layout->sample_type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                                           PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
    uint64_t bytes = (uint64_t)__builtin_popcountll(type) * sizeof(uint64_t);
    struct perf_bytes c = perf_record_body(header);
    if (!(type & PERF_SAMPLE_TIME) || bytes > (uint64_t)(c.end - c.at))
        return 0;
    c.at = c.end - bytes;
    if (type & PERF_SAMPLE_TID)
        perf_bytes_u64(&c);
    return perf_bytes_u64(&c);
}

uint64_t perf_record_id(const struct perf_event_header *header, const struct perf_layout *layout)
{
    struct perf_bytes c = perf_record_body(header);
    if (!(layout->sample_type & PERF_SAMPLE_IDENTIFIER) || c.end - c.at < (ptrdiff_t)sizeof(uint64_t))
        return 0;
    c.at = c.end - sizeof(uint64_t);
    return perf_bytes_u64(&c);
}

uint64_t perf_record_time(const struct perf_event_header *header, const struct perf_layout *layout)
{
    if (header->type != PERF_RECORD_SAMPLE)
        return perf_record_time_at_end(header, layout);
    uint64_t before = layout->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
    struct perf_bytes c = perf_record_body(header);
    perf_bytes_take(&c, (uint64_t)__builtin_popcountll(before) * sizeof(uint64_t));
    return perf_bytes_u64(&c);
}

// A text that ends the fixed part of a record; always terminated within it.
static const char *record_text(struct perf_bytes *c)
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

int perf_record_mmap(const struct perf_event_header *header, struct perf_mmap *mmap)
{
    struct perf_bytes c = perf_record_body(header);
    *mmap = (struct perf_mmap){.protection = PROT_READ, .flags = MAP_PRIVATE};
    mmap->protection |= header->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_WRITE : PROT_EXEC;
    perf_record_u32_pair(&c, &mmap->pid, &mmap->tid);
    mmap->address = perf_bytes_u64(&c);
    mmap->bytes = perf_bytes_u64(&c);
    mmap->file_offset = perf_bytes_u64(&c);
    mmap->name = record_text(&c);
    return c.is_short ? -EBADMSG : 0;
}

// In place of device and inode: a length, three bytes of nothing, and the id.
static void perf_record_build_id(struct perf_mmap *mmap, const char *at)
{
    mmap->build_id = (const unsigned char *)at + sizeof(uint32_t);
    mmap->build_id_bytes = (unsigned char)*at;
    if (mmap->build_id_bytes > PERF_RECORD_BUILD_ID_MOST)
        mmap->build_id_bytes = PERF_RECORD_BUILD_ID_MOST;
    mmap->major = mmap->minor = 0;
    mmap->inode = 0;
}

int perf_record_mmap2(const struct perf_event_header *header, struct perf_mmap *mmap)
{
    struct perf_bytes c = perf_record_body(header);
    *mmap = (struct perf_mmap){0};
    perf_record_u32_pair(&c, &mmap->pid, &mmap->tid);
    mmap->address = perf_bytes_u64(&c);
    mmap->bytes = perf_bytes_u64(&c);
    mmap->file_offset = perf_bytes_u64(&c);
    const char *device = c.at; // or a build id
    perf_record_u32_pair(&c, &mmap->major, &mmap->minor);
    mmap->inode = perf_bytes_u64(&c);
    perf_bytes_u64(&c); // inode generation
    perf_record_u32_pair(&c, &mmap->protection, &mmap->flags);
    mmap->name = record_text(&c);
    if (!c.is_short && header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
        perf_record_build_id(mmap, device);
    return c.is_short ? -EBADMSG : 0;
}

int perf_record_comm(const struct perf_event_header *header, struct perf_comm *comm)
{
    struct perf_bytes c = perf_record_body(header);
    *comm = (struct perf_comm){.exec = header->misc & PERF_RECORD_MISC_COMM_EXEC};
    perf_record_u32_pair(&c, &comm->pid, &comm->tid);
    comm->name = record_text(&c);
    return c.is_short ? -EBADMSG : 0;
}

int perf_record_task(const struct perf_event_header *header, struct perf_task *task)
{
    struct perf_bytes c = perf_record_body(header);
    *task = (struct perf_task){0};
    perf_record_u32_pair(&c, &task->pid, &task->parent_pid);
    perf_record_u32_pair(&c, &task->tid, &task->parent_tid);
    return c.is_short ? -EBADMSG : 0;
}

int perf_record_lost(const struct perf_event_header *header, uint64_t *lost)
{
    struct perf_bytes c = perf_record_body(header);
    if (header->type == PERF_RECORD_LOST)
        perf_bytes_u64(&c); // the event's id
    *lost = perf_bytes_u64(&c);
    return c.is_short ? -EBADMSG : 0;
}
