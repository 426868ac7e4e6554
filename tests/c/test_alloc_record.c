// SPDX-License-Identifier: Apache-2.0
// The ring of large blocks, with what a hostile target might write there.
#include "collectors/heap/alloc_record.h"

#include <errno.h>

#include "core/util/table.h"
#include "hand_made.h"

static struct perf_ring ring;

static void begin(void)
{
    int fd = hand_sealed(ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES);
    CHECK_EQ(alloc_record_map(&ring, fd), 0);
    close(fd);
}

static char *data(void)
{
    return (char *)ring.control + ALLOC_RING_CONTROL_BYTES;
}

static size_t drain(void)
{
    size_t records = 0;
    const struct perf_event_header *header;
    perf_ring_refresh(&ring);
    while ((header = perf_ring_front(&ring))) {
        struct alloc_event event;
        if (alloc_record_read(header, &event) == 0) {
            CHECK(event.where.stack_bytes <= header->size);
            CHECK(event.kind < ALLOC_KINDS);
            records++;
        }
        perf_ring_skip(&ring);
    }
    perf_ring_release(&ring);
    return records;
}

static struct alloc_record whole(uint32_t stack_bytes)
{
    return (struct alloc_record){
        .header = {.type = ALLOC_RECORD_ALLOCATED,
                   .size = (uint16_t)(sizeof(struct alloc_record) + stack_bytes + sizeof(uint64_t))},
        .address = 0x1000,
        .bytes = 0x100000,
        .stack_bytes = stack_bytes};
}

TEST(a_ring_of_another_size_is_refused)
{
    struct perf_ring other = {0};
    int fd = hand_sealed(4096);
    CHECK_EQ(alloc_record_map(&other, fd), -EINVAL);
    close(fd);
}

TEST(a_ring_that_could_be_cut_short_is_refused)
{
    struct perf_ring other = {0};
    int fd = memfd_create("open", MFD_ALLOW_SEALING);
    CHECK_EQ(ftruncate(fd, ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES), 0);
    CHECK_EQ(alloc_record_map(&other, fd), -EPERM);
    close(fd);
}

TEST(a_record_that_contradicts_itself_is_none)
{
    struct alloc_event event;
    char memory[256] = {0};
    struct alloc_record record = whole(16);
    memcpy(memory, &record, sizeof record);
    CHECK_EQ(alloc_record_read((const struct perf_event_header *)memory, &event), 0);
    record.stack_bytes = 24; // more than there is
    memcpy(memory, &record, sizeof record);
    CHECK_EQ(alloc_record_read((const struct perf_event_header *)memory, &event), -EBADMSG);
    record = whole(16);
    record.header.misc = 7; // registers of no machine
    memcpy(memory, &record, sizeof record);
    CHECK_EQ(alloc_record_read((const struct perf_event_header *)memory, &event), -EBADMSG);
    record = whole(UINT32_MAX - 55); // wraps
    memcpy(memory, &record, sizeof record);
    CHECK_EQ(alloc_record_read((const struct perf_event_header *)memory, &event), -EBADMSG);
}

TEST(what_is_too_short_is_no_record)
{
    begin();
    struct alloc_record record = whole(0);
    record.header.size = sizeof record.header;
    memcpy(data(), &record, sizeof record);
    ring.control->data_head = sizeof record.header;
    CHECK_EQ(drain(), 0);
    perf_ring_unmap(&ring);
}

TEST(a_head_that_lies_ends_the_drain)
{
    static const uint64_t heads[] = {1, 7, UINT64_MAX, UINT64_MAX - 7, ALLOC_RING_BYTES + 8, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        begin();
        ring.control->data_head = heads[i];
        drain();
        CHECK(ring.control->data_tail <= heads[i]);
        perf_ring_unmap(&ring);
    }
}

TEST(random_bytes_are_no_danger)
{
    begin();
    uint64_t random = 1;
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < 64 << 10; i += sizeof random) {
            random = table_mix(random, i);
            memcpy(data() + i, &random, sizeof random);
        }
        // Some look like records, up to a byte or two.
        for (size_t at = 0; at + 4096 < 64 << 10; at += 8 * (1 + random % 100)) {
            struct alloc_record record = whole((uint32_t)(8 * (random % 64)));
            random = table_mix(random, at);
            memcpy(data() + at, &record, sizeof record);
            data()[at + random % sizeof record] = (char)(random >> 32);
        }
        ring.control->data_head = ring.next + (64 << 10);
        drain();
    }
    perf_ring_unmap(&ring);
}

// As alloc_write.c does it: the record first, its header last.
static void reserve(uint64_t start, const struct alloc_record *record)
{
    memcpy(data() + start + sizeof record->header, (const char *)record + sizeof record->header,
           sizeof *record - sizeof record->header);
    ring.control->data_head = start + record->header.size;
}

static void commit(uint64_t start, const struct alloc_record *record)
{
    const uint64_t word = alloc_ring_commit_word(record->header);
    memcpy(data() + start, &word, sizeof word);
}

TEST(a_record_is_read_once_it_is_committed_and_those_behind_it_wait)
{
    const struct alloc_record first = whole(0), second = whole(0);
    begin();
    reserve(0, &first);
    reserve(first.header.size, &second);
    commit(first.header.size, &second);
    CHECK_EQ(drain(), 0);
    CHECK_EQ(ring.control->data_tail, 0);
    commit(0, &first);
    CHECK_EQ(drain(), 2);
    perf_ring_unmap(&ring);
}

TEST(what_was_read_is_zero_again)
{
    const struct alloc_record record = whole(0);
    begin();
    reserve(0, &record);
    commit(0, &record);
    CHECK_EQ(drain(), 1);
    for (size_t i = 0; i < record.header.size; i++)
        CHECK_EQ(data()[i], 0);
    perf_ring_unmap(&ring);
}

TEST(losses_are_counted_past_every_width)
{
    static const uint64_t lost[] = {255, 256, 65535, 65536, UINT32_MAX, 1ULL << 32, 1ULL << 48};
    begin();
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        atomic_store(alloc_ring_counter(ring.control, ALLOC_LOST), lost[i]);
        CHECK_EQ(alloc_record_lost(&ring), lost[i]);
    }
    perf_ring_unmap(&ring);
}

TEST(a_head_that_the_reader_has_passed_is_not_a_full_ring)
{
    uint64_t used;
    CHECK(alloc_ring_used(128, 64, &used));
    CHECK_EQ(used, 64);
    CHECK(alloc_ring_used(64 + ALLOC_RING_BYTES, 64, &used));
    CHECK_EQ(used, ALLOC_RING_BYTES);
    CHECK(!alloc_ring_used(64, 128, &used));
}
