// SPDX-License-Identifier: Apache-2.0
// Connections made by hand. A process that the recorder answers too late sends its handshake again, with the same ring,
// or with one that it could not make before.
#include "profiler/recorder/targets/connections.h"

#include <sys/socket.h>

#include "collectors/heap/alloc_record.h"
#include "hand_modules.h"

static struct thread_starts starts;
static struct channel_server server = {.segment = -1, .listener = -1, .spare = {-1, -1}};
static struct connections connections;
static int ring;

static void begin(void)
{
    hand_modules();
    connections = (struct connections){
        .channel = &server, .starts = &starts, .streams = &streams, .targets = &targets};
    ring = hand_sealed(ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES);
}

// shared: -1: it has no ring. True if it was answered.
static bool connects(uint64_t number, int shared)
{
    int ends[2];
    char answer;
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    struct channel_connection connection = {
        .fd = ends[0], .ring = shared < 0 ? -1 : dup(shared), .pid = getpid(),
        .handshake = {.process = number, .pid = (uint32_t)getpid(), .time_ns = 2, .forked = true}};
    connections_register(&connections, &connection);
    const bool is_answered = recv(ends[1], &answer, 1, MSG_DONTWAIT) == 1;
    close(ends[1]);
    return is_answered;
}

TEST(a_process_that_asks_again_keeps_its_one_ring)
{
    begin();
    CHECK(connects(7, ring));
    CHECK_EQ(streams.count, 1);
    const struct process *process = tasks_process(&tasks, getpid());
    const struct allocation_stream *kept = process->allocations;
    CHECK(connects(7, ring));
    CHECK_EQ(streams.count, 1);
    CHECK(process->allocations == kept);
    perf_streams_drain(&streams, UINT64_MAX);
    CHECK_EQ(streams.count, 1);
    // Another program in the same process has a number of its own.
    CHECK(connects(8, ring));
    CHECK(process->allocations != kept);
    perf_streams_drain(&streams, UINT64_MAX);
    CHECK_EQ(streams.count, 1);
    allocations_close_rings(&allocations);
    CHECK_EQ(streams.count, 0);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
    close(ring);
}

TEST(a_ring_that_comes_with_the_second_question_is_read)
{
    begin();
    CHECK(connects(7, -1));
    CHECK_EQ(streams.count, 0);
    CHECK(connects(7, ring));
    CHECK_EQ(streams.count, 1);
    const struct process *process = tasks_process(&tasks, getpid());
    const struct allocation_stream *kept = process->allocations;
    CHECK(kept);
    CHECK(connects(7, ring));
    CHECK(process->allocations == kept);
    allocations_close_rings(&allocations);
    CHECK_EQ(streams.count, 0);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
    close(ring);
}
