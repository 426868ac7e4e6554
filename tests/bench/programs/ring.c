// SPDX-License-Identifier: Apache-2.0
// How fast the recorder takes samples from rings:  ring FILE. One million of them in 64 rings, from 64 threads on 64 CPUs,
// each with a call path of 16 frames, whose innermost are 100 000 distinct addresses; until they are committed to FILE.
// From the rings to the file it is the recorder's own code; only the kernel, which fills the rings, is played here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "profiler/recorder/session.h"

enum { RINGS = 64, RECORDS = 1000000, ADDRESSES = 100000, DEPTH = 16, CHAINS = 200, RING_PAGES = 1024 };
#define CODE 0x400000ULL

struct record {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, reserved;
    uint64_t period, count, chain[DEPTH];
};

static const uint64_t layout = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                               PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;

// As counters_record and counters_take do it (profiler/recorder/session_counters.c, collectors/counters/counters_read.c).
static void take(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    (void)time;
    struct session *session = stream->owner;
    struct perf_sample sample;
    if (perf_record_sample(header, &stream->layout, &sample) < 0)
        exit(1);
    struct thread *thread = tasks_thread(&session->tasks, (pid_t)sample.tid);
    if (!thread)
        exit(1);
    struct samples_row row =
        samples_row(1, 1, tasks_time(&session->tasks, sample.time), thread->id, sample.period);
    row.cpu = sample.cpu;
    row.stack = session_stack(session, thread->process, &sample);
    samples_put(&session->samples, &row);
}

static struct record make_record(int ring, int number)
{
    static uint64_t random = 1;
    random = random * 6364136223846793005ULL + 1442695040888963407ULL; // Knuth's MMIX
    uint64_t place = (random >> 33) % ADDRESSES;
    struct record record = {
        .header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof record},
        .id = 1, .ip = CODE + 16 * place, .pid = 1000, .tid = 1000 + (uint32_t)ring,
        .time = 1000 + (uint64_t)number * RINGS + (uint64_t)ring, .cpu = (uint32_t)ring, .period = 997, .count = DEPTH,
    };
    record.chain[0] = record.ip;
    for (uint64_t depth = 1; depth < DEPTH; depth++)
        record.chain[depth] = CODE + 16 * (ADDRESSES + (place % CHAINS) * DEPTH + depth) + 4;
    return record;
}

static int fill(struct perf_stream *stream, struct session *session, int ring)
{
    int fd = memfd_create("ring", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (1 + RING_PAGES) * sysconf(_SC_PAGESIZE)) < 0)
        return -1;
    if (perf_ring_map(&stream->ring, fd, RING_PAGES) < 0)
        return -1;
    close(fd);
    stream->layout.sample_type = layout;
    stream->handle = take;
    stream->owner = session;
    size_t count = RECORDS / RINGS;
    if (count * sizeof(struct record) > stream->ring.bytes)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct record record = make_record(ring, (int)i);
        memcpy((char *)stream->ring.data + i * sizeof record, &record, sizeof record);
    }
    stream->ring.control->data_head = count * sizeof(struct record);
    return session_add_stream(session, stream);
}

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int prepare(struct session *session, const char *path)
{
    static struct intern *paths;
    struct recording *recording;
    if (recording_create(&recording, path) < 0 || recording_queue_start(&session->queue, recording) < 0)
        return -1;
    session->tasks = (struct tasks){.queue = session->queue, .epoch = 1};
    session->stacks.queue = session->queue;
    session->samples = (struct samples){.queue = session->queue, .stacks = &session->stacks};
    session->files = program_files_new();
    session->unwind = session->files ? unwind_open(session->files) : NULL;
    struct process *process = tasks_add_process(&session->tasks, 1000, NULL, 1, "inherited");
    for (int i = 0; process && i < RINGS; i++)
        tasks_add_thread(&session->tasks, process, 1000 + i, 1, true, NULL);
    const struct mapping program = {.start = CODE,
                                    .end = CODE + (64ULL << 20),
                                    .kind = MAPPING_FILE,
                                    .executable = true,
                                    .file_backed = true,
                                    .path = intern_text(&paths, "/no/such/program")};
    return process && session->unwind ? address_space_add(&process->space, program) : -1;
}

int main(int argc, char **argv)
{
    static struct session session;
    static struct perf_stream streams[RINGS];
    if (argc != 2 || prepare(&session, argv[1]) < 0)
        return 1;
    for (int i = 0; i < RINGS; i++)
        if (fill(&streams[i], &session, i) < 0)
            return 1;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    size_t records = perf_merge_drain(session.streams, session.stream_count, UINT64_MAX);
    if (recording_queue_stop(session.queue) < 0)
        return 1;
    printf("%zu %.6f %.6f\n", records, seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return 0;
}
