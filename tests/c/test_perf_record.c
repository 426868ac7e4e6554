// SPDX-License-Identifier: Apache-2.0
// Records of the kernel: every field at its place, and no byte behind the end of a record.
#include "collectors/perf/perf_record.h"

#include <errno.h>

#include "hand_made.h"

TEST(a_sample_has_each_field_at_its_place)
{
    const struct hand_sample record = hand_sample(42, 1000, 0x400010, 0x7f0000001000);
    const struct perf_layout layout = HAND_LAYOUT;
    struct perf_sample sample;
    CHECK_EQ(perf_record_sample(&record.header, &layout, &sample), 0);
    CHECK_EQ(sample.id, 7);
    CHECK_EQ(sample.ip, 0x400010);
    CHECK_EQ(sample.tid, 42);
    CHECK_EQ(sample.time, 1000);
    CHECK_EQ(sample.address, 0x7f0000001000);
    CHECK_EQ(sample.stream, 9);
    CHECK_EQ(sample.cpu, 3);
    CHECK_EQ(sample.period, 11);
    CHECK_EQ(sample.chain_count, 2);
    CHECK_EQ(sample.chain[1], 0x400110);
    CHECK(!sample.in_kernel && !sample.regs && !sample.stack);
    CHECK_EQ(perf_record_time(&record.header, &layout), 1000);
}

// The record is copied to the end of an allocation of its size: a read behind it is a crash under AddressSanitizer.
TEST(a_sample_cut_anywhere_is_refused)
{
    const struct hand_sample record = hand_sample(42, 1000, 0x400010, 0x1000);
    const struct perf_layout layout = HAND_LAYOUT;
    for (uint16_t size = sizeof record.header; size < sizeof record; size++) {
        struct perf_event_header *cut = malloc(size);
        struct perf_sample sample;
        memcpy(cut, &record, size);
        cut->size = size;
        CHECK_EQ(perf_record_sample(cut, &layout, &sample), -EBADMSG);
        perf_record_time(cut, &layout);
        free(cut);
    }
}

TEST(a_call_chain_that_claims_more_than_the_record_holds_is_refused)
{
    const struct perf_layout layout = HAND_LAYOUT;
    struct perf_sample sample;
    struct hand_sample record = hand_sample(42, 1000, 0x400010, 0x1000);
    const uint64_t counts[] = {3, UINT16_MAX, UINT64_MAX / 8 + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        record.chain_count = counts[i];
        CHECK_EQ(perf_record_sample(&record.header, &layout, &sample), -EBADMSG);
        CHECK_EQ(sample.chain_count, 0);
    }
}

TEST(the_stack_ends_where_the_kernel_copied_to_and_within_its_room)
{
    struct {
        struct perf_event_header header;
        uint64_t abi, regs[2], room;
        char stack[16];
        uint64_t copied;
    } record = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof record}, .abi = PERF_SAMPLE_REGS_ABI_64,
                .regs = {5, 6}, .room = 16, .copied = 8};
    const struct perf_layout layout = {.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, .regs_user = 5};
    struct perf_sample sample;
    CHECK_EQ(perf_record_sample(&record.header, &layout, &sample), 0);
    CHECK_EQ(sample.regs[1], 6);
    CHECK_EQ(sample.stack_bytes, 8);
    record.copied = UINT64_MAX;
    CHECK_EQ(perf_record_sample(&record.header, &layout, &sample), 0);
    CHECK_EQ(sample.stack_bytes, 16);
}

TEST(tasks_names_and_losses_are_read)
{
    struct perf_task task;
    struct perf_comm comm;
    uint64_t lost = 0;
    const struct hand_task fork = hand_task(PERF_RECORD_FORK, 10, 9, 11, 500);
    const struct hand_name name = hand_name(11, "worker", 600);
    const struct hand_lost loss = hand_lost(70000, 700);
    const struct perf_layout layout = HAND_LAYOUT;
    CHECK_EQ(perf_record_task(&fork.header, &task), 0);
    CHECK(task.pid == 10 && task.parent_pid == 9 && task.tid == 11 && task.parent_tid == 9);
    CHECK_EQ(perf_record_time(&fork.header, &layout), 500);
    CHECK_EQ(perf_record_comm(&name.header, &comm), 0);
    CHECK(!comm.exec && comm.tid == 11);
    CHECK_STR(comm.name, "worker");
    CHECK_EQ(perf_record_lost(&loss.header, &lost), 0);
    CHECK_EQ(lost, 70000);
}

TEST(a_name_without_an_end_is_refused)
{
    struct hand_name name = hand_name(11, "worker", 600);
    struct perf_comm comm;
    memset(name.name, 'x', sizeof name.name);
    name.header.size = (uint16_t)(offsetof(struct hand_name, name) + sizeof name.name);
    CHECK_EQ(perf_record_comm(&name.header, &comm), -EBADMSG);
}
