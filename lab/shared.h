/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the hardware (QEMU plugin) and its driver (guest module) share: the memory of a PCI device. Each CPU has a part
 * of its own that only its own thread touches, in the plugin while it executes the CPU's instructions, in the guest
 * while that CPU runs the driver: so there are no locks and no barriers.
 */
#ifndef LAB_SHARED_H
#define LAB_SHARED_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define LAB_MAGIC 0x6c61622d6e756d61ull /* "lab-numa" */
#define LAB_VERSION 5u

enum {
    LAB_CPUS = 64,
    LAB_NODES = 8,
    LAB_SLOTS = 16, /* counters of a CPU */
    LAB_RECORDS = 512, /* samples a CPU holds until its driver fetches them */
    LAB_RECORDS_URGENT = 384, /* the CPU is interrupted at this many */
    LAB_SHARED_BYTES = 4 << 20,
    LAB_TRUTH_BYTES = 60 << 20, /* behind them, where the machine keeps the truth by page */
};

/*
 * The driver speaks to the hardware by executing a no-operation of this form; the displacement is the call:
 *     nopl displacement(%rax,%rax,1)       0f 1f 84 00 displacement
 */
#define LAB_CALL_BYTES 0x0f, 0x1f, 0x84, 0x00
enum {
    LAB_CALL_WHO = 0x4c414200, /* lab->who becomes the index of the calling CPU */
    LAB_CALL_WATCH = 0x4c414201, /* lab_cpu.watch of the calling CPU has changed */
    LAB_CALL_SIMULATE = 0x4c414202, /* + an enum lab_simulation: lab->simulating tells when it is done */
    LAB_CALL_LIMIT = 0x4c414205,
};

/* What is simulated costs time. */
enum lab_simulation {
    LAB_SIMULATE_NOTHING, /* plain emulation */
    LAB_SIMULATE_MEMORY,
    LAB_SIMULATE_ALL, /* instructions and cycles as well */
};

/* Who asks for a line. */
enum lab_class {
    LAB_READ, /* demand load */
    LAB_RFO, /* demand store */
    LAB_FETCH, /* instructions */
    LAB_WRITE_BACK,
    LAB_PREFETCH_READ, /* of a stream of loads */
    LAB_PREFETCH_RFO, /* of a stream of stores */
    LAB_CLASSES,
};

/* Where something is, seen from the CPU. */
enum lab_where {
    LAB_HERE, /* this node */
    LAB_NEAR, /* another node of the same package */
    LAB_FAR, /* another package */
    LAB_WHERES,
};

/*
 * Who answered. A line from another node's cache has two places: the cache it came from (near or far) and its home.
 * Write-backs to the shared cache are HIT, those from there to memory are MEMORY.
 */
enum lab_outcome {
    LAB_OWN, /* the CPU's private cache: not a request, in load samples only */
    LAB_HIT, /* the node's shared cache; no other CPU of the node has it alone */
    LAB_HIT_CLEAN, /* ... another CPU of the node had it alone, unmodified */
    LAB_HIT_MODIFIED, /* ... another CPU of the node had modified it */
    LAB_MEMORY, /* + home: DRAM */
    LAB_CACHE = LAB_MEMORY + LAB_WHERES, /* + 3 x (from is far) + home: another node's cache, unmodified */
    LAB_DIRTY = LAB_CACHE + 2 * LAB_WHERES, /* the same, modified there */
    LAB_SLOW = LAB_DIRTY + 2 * LAB_WHERES, /* + home is far: memory of a slow tier, whose nodes have no CPUs */
    LAB_OUTCOMES = LAB_SLOW + 2,
};

/* Modelled cycles of a load that the private cache answers. */
enum { LAB_LATENCY_OWN = 10 };

/* What a counter counts. */
enum lab_unit {
    LAB_UNIT_REQUESTS, /* requests that left the CPU's private cache, by class and outcome */
    LAB_UNIT_LOADS, /* retired loads, by outcome */
    LAB_UNIT_SLOW_LOADS, /* retired loads of at least `threshold` cycles */
    LAB_UNIT_STORES, /* retired stores */
    LAB_UNIT_INSTRUCTIONS,
    LAB_UNIT_CYCLES,
    /* Counted as instructions and cycles; what uses up a period tags an instruction, whose first access is sampled. */
    LAB_UNIT_TAG_INSTRUCTIONS,
    LAB_UNIT_TAG_CYCLES,
};

enum { LAB_USER, LAB_KERNEL, LAB_LEVELS };

struct lab_slot {
    uint32_t unit;
    uint32_t levels; /* bit per LAB_USER, LAB_KERNEL */
    uint32_t classes; /* bit per lab_class */
    uint32_t outcomes; /* bit per lab_outcome */
    uint32_t threshold;
    uint32_t urgent; /* interrupt at every sample */
    uint32_t extra; /* each request, load or store counts as 1 + extra */
    uint64_t count;
    uint64_t period; /* 0: no samples */
    int64_t left; /* until the next sample */
    uint64_t lost; /* samples that found no room */
};

struct lab_record {
    uint64_t ip;
    uint64_t address; /* virtual; 0 where the unit has none */
    uint64_t physical;
    uint32_t latency; /* modelled cycles */
    uint8_t slot;
    uint8_t outcome;
    uint8_t home; /* node of the physical address */
    uint8_t store;
    uint64_t reserved[3];
};

/* Bits of lab_cpu.watch: what must leave the fast path because a counter counts every one of it. */
enum { LAB_WATCH_LOADS = 1, LAB_WATCH_STORES = 2, LAB_WATCH_BLOCKS = 4 };
/* lab_record.store where the tagged instruction accessed no memory; address and outcome then mean nothing. */
enum { LAB_RECORD_LOAD, LAB_RECORD_STORE, LAB_RECORD_NEITHER };

/* The truth by page: lines that a thread had, in user mode, from beyond its node's shared cache. */
/* Classes: read, RFO, prefetch read, prefetch RFO. */
enum { LAB_ROW_CLASSES = 4, LAB_TASK_BITS = 22, LAB_EXEC_BITS = 3, LAB_HOME_BITS = 3 };
struct lab_row {
    uint64_t key; /* virtual page, node of the page, how many execs, thread; from the top */
    uint32_t lines[2][LAB_ROW_CLASSES]; /* from DRAM, from another node's cache */
};

static inline uint64_t lab_row_key(uint32_t task, unsigned int home, uint64_t page)
{
    return (page << LAB_HOME_BITS | home) << (LAB_TASK_BITS + LAB_EXEC_BITS) | task;
}

static inline uint32_t lab_row_tid(const struct lab_row *row)
{
    return row->key & ((1u << LAB_TASK_BITS) - 1);
}

static inline uint32_t lab_row_exec(const struct lab_row *row)
{
    return row->key >> LAB_TASK_BITS & ((1u << LAB_EXEC_BITS) - 1);
}

static inline uint32_t lab_row_home(const struct lab_row *row)
{
    return row->key >> (LAB_TASK_BITS + LAB_EXEC_BITS) & ((1u << LAB_HOME_BITS) - 1);
}

static inline uint64_t lab_row_page(const struct lab_row *row)
{
    return row->key >> (LAB_TASK_BITS + LAB_EXEC_BITS + LAB_HOME_BITS);
}

struct lab_cpu {
    uint32_t running; /* the counters of this CPU count at all */
    uint32_t active; /* bit per slot */
    uint32_t watch;
    uint32_t interrupt; /* the hardware has raised the interrupt; the driver clears it */
    uint32_t task; /* what the CPU runs: the number of its execs above that of the thread */
    uint32_t rows; /* of the truth, in use */
    uint64_t rows_lost; /* lines that found no row */
    /* The hardware's own counts, whatever the counters above are set to. */
    uint64_t requests[LAB_LEVELS][LAB_CLASSES][LAB_OUTCOMES];
    struct lab_slot slots[LAB_SLOTS];
    uint64_t head, tail; /* records written by the hardware, taken by the driver */
    struct lab_record records[LAB_RECORDS];
};

struct lab_shared {
    uint64_t magic;
    uint32_t version;
    uint32_t cpus;
    uint32_t nodes;
    uint32_t simulating;
    uint32_t prefetch_into_shared; /* the prefetcher fills the shared cache: dialects call that an L3 prefetch */
    int32_t who;
    uint32_t truth_rows; /* for each CPU; 0: no truth by page */
    uint32_t reserved;
    struct lab_cpu cpu[LAB_CPUS];
};

static inline struct lab_row *lab_rows(struct lab_shared *shared, unsigned int cpu)
{
    return (struct lab_row *)((char *)shared + LAB_SHARED_BYTES) + (uint64_t)cpu * shared->truth_rows;
}

#endif
