// SPDX-License-Identifier: Apache-2.0
// How fast the recorder takes samples from rings:  ring FILE. One million of them in 64 rings, from 64 threads on 64
// CPUs, each with a call stack of 16 frames, whose innermost are 100 000 distinct addresses; until they are committed
// to FILE. From the rings to the file it is the recorder's own code (counter_sets.c, counters_read.c, stack_walk.c);
// only the kernel, which fills the rings, is imitated here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "profiler/recorder/evidence/counter_sets.h"

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

struct recorder {
    struct topology topology;
    struct tasks tasks;
    struct perf_streams streams;
    struct losses losses;
    struct refusals refusals;
    struct samples samples;
    struct stack_walk walk;
    struct objects objects;
    struct counter_sets sets;
};

static const struct event_entry remote_dram = {.class = "demand_rd", .placement = "remote_dram"};

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

static int map_ring(struct perf_ring *ring)
{
    int fd = memfd_create("ring", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (1 + RING_PAGES) * sysconf(_SC_PAGESIZE)) < 0)
        return -1;
    int status = perf_ring_map(ring, fd, RING_PAGES);
    close(fd);
    return status;
}

static int fill(struct recorder *recorder, struct counter_set *set, int number)
{
    *set = (struct counter_set){.counters = &recorder->sets.counters, .tid = 1000 + number, .cpu = -1};
    set->groups[0].ids[0] = 1; // its descriptor is 0: open
    set->stream.layout.sample_type = layout;
    size_t count = RECORDS / RINGS;
    if (map_ring(&set->stream.ring) < 0 || count * sizeof(struct record) > set->stream.ring.bytes)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct record record = make_record(number, (int)i);
        memcpy((char *)set->stream.ring.data + i * sizeof record, &record, sizeof record);
    }
    set->stream.ring.control->data_head = count * sizeof(struct record);
    struct thread *thread = tasks_thread(&recorder->tasks, set->tid);
    counter_sets_give(&recorder->sets, thread, set, 0);
    return thread->counters == set ? 0 : -1;
}

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void connect_modules(struct recorder *r)
{
    r->tasks.epoch = 1;
    r->walk.stacks.queue = r->tasks.queue;
    r->samples = (struct samples){.queue = r->tasks.queue, .stacks = &r->walk.stacks};
    r->sets = (struct counter_sets){
        .topology = &r->topology, .tasks = &r->tasks, .streams = &r->streams, .losses = &r->losses, .walk = &r->walk,
        .refusals = &r->refusals, .samples = &r->samples, .objects = &r->objects,
        .counters = {.queue = r->tasks.queue, .tasks = &r->tasks, .samples = &r->samples, .group_count = 1,
                     .groups[0] = {.count = 1, .events[0] = {.id = 1, .source = &remote_dram, .sampled = true}}}};
}

static int prepare(struct recorder *recorder, const char *path)
{
    static struct intern *paths;
    if (recording_queue_create(&recorder->tasks.queue, path) < 0 || stack_walk_open(&recorder->walk) < 0)
        return -1;
    connect_modules(recorder);
    struct process *process = tasks_add_process(&recorder->tasks, 1000, NULL, 1, "inherited");
    for (int i = 0; process && i < RINGS; i++)
        tasks_add_thread(&recorder->tasks, process, 1000 + i, 1, true, NULL);
    const struct mapping program = {.start = CODE,
                                    .end = CODE + (64ULL << 20),
                                    .kind = MAPPING_FILE,
                                    .executable = true,
                                    .file_backed = true,
                                    .path = intern_text(&paths, "/no/such/program")};
    return process ? address_space_add(&process->space, program) : -1;
}

int main(int argc, char **argv)
{
    static struct recorder recorder;
    static struct counter_set sets[RINGS];
    if (argc != 2 || prepare(&recorder, argv[1]) < 0)
        return 1;
    for (int i = 0; i < RINGS; i++)
        if (fill(&recorder, &sets[i], i) < 0)
            return 1;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    size_t records = perf_streams_drain(&recorder.streams, UINT64_MAX);
    if (recording_queue_stop(recorder.tasks.queue) < 0 || recorder.samples.count != (int64_t)records)
        return 1;
    printf("%zu %.6f %.6f\n", records, seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return 0;
}
