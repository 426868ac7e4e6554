// SPDX-License-Identifier: Apache-2.0
// The records of many rings come out in the order of time, each once.
#include "collectors/perf/perf_streams.h"

#include "hand_made.h"

enum { RINGS = 5, MOST = 4096 };

static struct perf_stream streams[RINGS];
static struct perf_streams all;
static uint64_t times[MOST];
static size_t handled, closed;

static void note(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    CHECK(stream >= streams && stream < streams + RINGS);
    CHECK_EQ(header->type, PERF_RECORD_SAMPLE);
    times[handled++] = time;
}

static void close_stream(struct perf_stream *stream)
{
    perf_ring_unmap(&stream->ring);
    closed++;
}

static void begin(void)
{
    for (int i = 0; i < RINGS; i++) {
        hand_ring(&streams[i].ring, 1);
        streams[i].layout = HAND_LAYOUT;
        streams[i].handle = note;
        streams[i].close = close_stream;
        CHECK_EQ(perf_streams_add(&all, &streams[i]), 0);
    }
}

static void put(int ring, uint64_t time)
{
    const struct hand_sample record = hand_sample(1, time, 0x400000, 0);
    hand_put(&streams[ring].ring, &record);
}

static void check_order(size_t count)
{
    CHECK_EQ(handled, count);
    for (size_t i = 1; i < handled; i++)
        CHECK(times[i - 1] <= times[i]);
}

// 30 rounds of 80 records: each ring of 4 KiB is filled many times over, so that records wrap around its end.
TEST(records_of_all_rings_are_merged_by_time_and_wrap_around)
{
    uint64_t time = 0, random = 1;
    begin();
    for (int round = 0; round < 30; round++) {
        for (int i = 0; i < 80; i++) {
            random = random * 6364136223846793005ULL + 1442695040888963407ULL; // Knuth's MMIX
            put(round % 2 ? i % RINGS : (int)(random >> 40) % 3 + i % 3, ++time);
        }
        CHECK_EQ(perf_streams_drain(&all, UINT64_MAX), 80);
    }
    check_order(30 * 80);
    CHECK_EQ(times[handled - 1], time);
}

TEST(records_from_the_bound_on_stay_for_the_next_drain)
{
    begin();
    put(0, 10);
    put(1, 20);
    put(2, 30);
    CHECK_EQ(perf_streams_drain(&all, 20), 1);
    CHECK_EQ(all.drained_at, 20);
    put(3, 25);
    CHECK_EQ(perf_streams_drain(&all, UINT64_MAX), 3);
    CHECK_EQ(all.drains, 2);
    check_order(4);
}

TEST(a_ring_that_ends_is_read_to_its_end_and_then_closed_once)
{
    begin();
    put(2, 10);
    perf_streams_end(&all, &streams[2]);
    perf_streams_end(&all, &streams[4]);
    CHECK_EQ(closed, 0);
    CHECK_EQ(perf_streams_drain(&all, UINT64_MAX), 1);
    CHECK_EQ(closed, 2);
    CHECK_EQ(all.count, RINGS - 2);
    perf_streams_close_ended(&all);
    CHECK_EQ(closed, 2);
}

static void end_itself(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    note(stream, header, time);
    perf_streams_end(&all, stream);
}

TEST(a_handler_may_end_its_own_ring)
{
    begin();
    streams[1].handle = end_itself;
    put(1, 10);
    put(0, 20);
    CHECK_EQ(perf_streams_drain(&all, UINT64_MAX), 2);
    CHECK_EQ(closed, 1);
    check_order(2);
}
