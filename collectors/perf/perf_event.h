// SPDX-License-Identifier: Apache-2.0
// Opening perf events. Errors are -errno; perf_explain.h says what they mean.
#ifndef COLLECTORS_PERF_PERF_EVENT_H
#define COLLECTORS_PERF_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/perf/perf_merge.h"

// User registers that an unwinder needs: all general ones (arch/*/include/uapi/asm/perf_regs.h).
#if defined(__x86_64__)
#define PERF_EVENT_REGS_USER UINT64_C(0xff0fff) // AX..IP, FLAGS, CS, SS, R8..R15
#elif defined(__aarch64__)
#define PERF_EVENT_REGS_USER UINT64_C(0x1ffffffff) // X0..X30, SP, PC
#else
#define PERF_EVENT_REGS_USER UINT64_C(0)
#endif

int perf_event_open(struct perf_event_attr *attr, pid_t tid, int cpu, int group);
// Of all tasks of a control group and of those within, on one CPU. cgroup: its open folder (perf_event_open(2)).
int perf_event_open_cgroup(struct perf_event_attr *attr, int cgroup, int cpu, int group);
int perf_event_id(int fd, uint64_t *id);
int perf_event_enable(int fd);
int perf_event_disable(int fd);
int perf_event_set_period(int fd, uint64_t period);

// Sends the records of fd to the ring of another event on the same task and CPU.
int perf_event_redirect(int fd, int to_fd);

// Maps a ring of most pages (a power of two), or of fewer where the locked-memory allowance is smaller.
int perf_event_map(struct perf_ring *ring, int fd, size_t most_pages);

#endif
