// SPDX-License-Identifier: Apache-2.0
// What the proofs of the emulated machine share: the hardware's own counters, perf events by libpfm's names, memory on
// a node, threads on a CPU. Every failure ends the program with a message.
#ifndef TESTS_LAB_H
#define TESTS_LAB_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/shared.h"

enum { LINE = 64, PAGE = 4096 };

_Noreturn void fail(const char *what);

// The hardware's counters, through the device and not through the driver under test.
const volatile struct lab_shared *hardware_map(void);
// A CPU of the guest as the hardware numbers it.
unsigned hardware_index(int cpu);

struct matrix {
    uint64_t requests[LAB_LEVELS][LAB_CLASSES][LAB_OUTCOMES];
};
struct matrix matrix_of(int cpu);
struct matrix matrix_less(struct matrix after, const struct matrix *before);
void matrix_add(struct matrix *sum, const struct matrix *more);
// As a JSON array [class][outcome] of one level.
void matrix_print(const struct matrix *matrix, unsigned level);

// Attributes of a libpfm event string, or of raw:CONFIG[:CONFIG1]; exclude_kernel and disabled are set.
struct perf_event_attr event_encode(const char *name);
int event_open(struct perf_event_attr *attr, int tid, int cpu, int group);
uint64_t event_read(int fd);
void event_enable(int fd);
void event_disable(int fd);

// How many interrupts the CPU has had, but for those of devices.
uint64_t interrupts(int cpu);

void pin(int cpu);
int node_of(int cpu);
// A thread that has said "done" is still on its way to sleep.
void wait_asleep(int tid);

bool node_has_memory(int node);
// Makes the memory present on the node.
void memory_bind(char *memory, size_t bytes, int node);
// Anonymous memory of the node, present, executable.
char *memory_on(int node, size_t bytes);
// Links all lines: by turns one of each half, none after its neighbour. Returns the first.
char *chain_by_turns(char *const halves[2], size_t bytes);
// Follows `count` links.
char *chase(char *at, size_t count);
// Evicts everything else from the caches that this CPU uses: reads memory that nobody else uses, in no order.
void sweep(const char *junk, size_t bytes);

#endif
