// SPDX-License-Identifier: Apache-2.0
// Takes apart what stands in a ring (perf_event_open(2), PERF_RECORD_*). Every length is checked against the record's.
#ifndef COLLECTORS_PERF_PERF_RECORD_H
#define COLLECTORS_PERF_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_RECORD_READ_LOST (UINT64_C(1) << 4) // PERF_FORMAT_LOST, Linux 6.0: older headers lack the name

// Which fields the records of a ring have: all events of one ring share it.
struct perf_layout {
    uint64_t sample_type;
    uint64_t regs_user;      // sample_regs_user mask
    uint64_t regs_intr;      // sample_regs_intr mask
    uint64_t read_format;
    uint64_t branches;       // branch_sample_type
};

// A sample. Fields that sample_type does not have are 0 or NULL. Pointers go into the record.
struct perf_sample {
    uint64_t id, ip, time, address, period, stream;
    uint32_t pid, tid, cpu;
    bool in_kernel;          // the instruction was the kernel's
    const uint64_t *chain;   // call chain, innermost first, with PERF_CONTEXT_* marks in it
    uint64_t chain_count;
    const uint64_t *regs;    // user registers by the bits of regs_user, lowest bit first; NULL: none (a kernel thread)
    const char *stack;       // copy of the user stack from the stack pointer up
    uint64_t stack_bytes;    // how much of it was copied
    uint64_t weight, source, physical, page_bytes; // WEIGHT or WEIGHT_STRUCT, DATA_SRC, PHYS_ADDR, DATA_PAGE_SIZE
    const char *raw;         // RAW ...
    uint64_t raw_bytes;      // ... and how long it is, as the kernel says
    const uint64_t *group;   // READ, in the layout's read_format: as read(2) gives it ...
    uint64_t group_words;    // ... and how long that is
};

// -EBADMSG: shorter than its fields.
int perf_record_sample(const struct perf_event_header *header, const struct perf_layout *layout,
                       struct perf_sample *sample);

// Identifier at the end of a record that is no sample, with PERF_SAMPLE_IDENTIFIER; 0: none.
uint64_t perf_record_id(const struct perf_event_header *header, const struct perf_layout *layout);

// Time of any record with PERF_SAMPLE_TIME; 0 if it is malformed.
uint64_t perf_record_time(const struct perf_event_header *header, const struct perf_layout *layout);

struct perf_mmap {
    uint32_t pid, tid, major, minor, protection, flags;
    uint64_t address, bytes, file_offset, inode;
    const char *name;        // ends within the record
    const unsigned char *build_id; // NULL: the record has none; then major, minor and inode are set
    unsigned build_id_bytes;
};
// PERF_RECORD_MMAP: protection is made up.
int perf_record_mmap(const struct perf_event_header *header, struct perf_mmap *mmap);
int perf_record_mmap2(const struct perf_event_header *header, struct perf_mmap *mmap);

struct perf_comm {
    uint32_t pid, tid;
    bool exec;               // it was an exec, not a renaming
    const char *name;
};
int perf_record_comm(const struct perf_event_header *header, struct perf_comm *comm);

struct perf_task {           // PERF_RECORD_FORK, PERF_RECORD_EXIT
    uint32_t pid, parent_pid, tid, parent_tid;
};
int perf_record_task(const struct perf_event_header *header, struct perf_task *task);

// How many records or samples the kernel had no room for: PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES.
int perf_record_lost(const struct perf_event_header *header, uint64_t *lost);

#endif
