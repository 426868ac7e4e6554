// SPDX-License-Identifier: Apache-2.0
// Rings and records made by hand, and a recording to look at: what the kernel and the target would have written.
#ifndef TESTS_C_HAND_MADE_H
#define TESTS_C_HAND_MADE_H

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "collectors/perf/perf_merge.h"
#include "core/recording/recording_queue.h"

#define HAND_FILE "hand.numaprof"

static inline struct recording_queue *hand_recording(void)
{
    struct recording_queue *queue;
    CHECK_EQ(recording_queue_create(&queue, HAND_FILE), 0);
    return queue;
}

// The first value of the query's first row, after recording_queue_stop. NULL and no row: -1.
static inline long long hand_number(const char *query)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    long long number = -1;
    CHECK_EQ(sqlite3_open(HAND_FILE, &db), SQLITE_OK);
    CHECK_EQ(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

// An empty ring of pages (a power of two).
static inline void hand_ring(struct perf_ring *ring, size_t pages)
{
    int fd = memfd_create("ring", MFD_CLOEXEC);
    CHECK_EQ(ftruncate(fd, (off_t)(1 + pages) * sysconf(_SC_PAGESIZE)), 0);
    CHECK_EQ(perf_ring_map(ring, fd, pages), 0);
    close(fd);
}

// Memory as the preload library shares it.
static inline int hand_sealed(size_t bytes)
{
    int fd = memfd_create("ring", MFD_ALLOW_SEALING);
    CHECK_EQ(ftruncate(fd, (off_t)bytes), 0);
    CHECK_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    return fd;
}

// Writes a record behind the others, around the end if need be, as the kernel does.
static inline void hand_put(struct perf_ring *ring, const void *record)
{
    const struct perf_event_header *header = record;
    for (size_t i = 0; i < header->size; i++)
        ((char *)ring->data)[(ring->control->data_head + i) % ring->bytes] = ((const char *)record)[i];
    ring->control->data_head += header->size;
}

// A sample with HAND_LAYOUT.
#define HAND_LAYOUT                                                                                                    \
    ((struct perf_layout){.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |                 \
                                         PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_STREAM_ID |                 \
                                         PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN})

struct hand_sample {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time, address, stream;
    uint32_t cpu, reserved;
    uint64_t period, chain_count, chain[2];
};

static inline struct hand_sample hand_sample(uint32_t tid, uint64_t time, uint64_t ip, uint64_t address)
{
    return (struct hand_sample){
        .header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof(struct hand_sample)},
        .id = 7, .ip = ip, .pid = (uint32_t)getpid(), .tid = tid, .time = time, .address = address, .stream = 9,
        .cpu = 3, .period = 11, .chain_count = 2, .chain = {ip, ip + 0x100}};
}

// What ends every other record of a ring with HAND_LAYOUT (sample_id_all).
struct hand_end {
    uint32_t pid, tid;
    uint64_t time, stream;
    uint32_t cpu, reserved;
    uint64_t id;
};

struct hand_task {
    struct perf_event_header header;
    uint32_t pid, parent_pid, tid, parent_tid;
    uint64_t task_time;
    struct hand_end end;
};

static inline struct hand_task hand_task(uint32_t type, uint32_t pid, uint32_t parent, uint32_t tid, uint64_t time)
{
    return (struct hand_task){.header = {.type = type, .size = sizeof(struct hand_task)},
                              .pid = pid, .parent_pid = parent, .tid = tid, .parent_tid = parent,
                              .end = {.time = time}};
}

struct hand_lost {
    struct perf_event_header header;
    uint64_t id, lost;
    struct hand_end end;
};

static inline struct hand_lost hand_lost(uint64_t lost, uint64_t time)
{
    return (struct hand_lost){.header = {.type = PERF_RECORD_LOST, .size = sizeof(struct hand_lost)},
                              .id = 7, .lost = lost, .end = {.time = time}};
}

struct hand_name {
    struct perf_event_header header;
    uint32_t pid, tid;
    char name[8];
    struct hand_end end;
};

static inline struct hand_name hand_name(uint32_t tid, const char *name, uint64_t time)
{
    struct hand_name record = {.header = {.type = PERF_RECORD_COMM, .size = sizeof record},
                               .pid = (uint32_t)getpid(), .tid = tid, .end = {.time = time}};
    strncpy(record.name, name, sizeof record.name - 1);
    return record;
}

#endif
