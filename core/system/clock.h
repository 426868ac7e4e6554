// SPDX-License-Identifier: Apache-2.0
// The kernel's own CLOCK_MONOTONIC in nanoseconds: the clock of the recording and of the perf events. What bends a
// program's clocks does not bend it: a library that stands before clock_gettime (libfaketime), or a time namespace,
// once it has been read. Also linked into the preload library.
#ifndef CORE_SYSTEM_CLOCK_H
#define CORE_SYSTEM_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_MS UINT64_C(1000000)
#define CLOCK_S UINT64_C(1000000000)

uint64_t clock_now(void);

// Another clock of the kernel's, as it is in the process's time namespace, whatever stands before clock_gettime.
struct timespec clock_read(clockid_t clock);

// How to ask from now on, instead of by system call: the kernel's function in the process's memory (vdso(7)) takes a
// tenth of the time. NULL: by system call.
void clock_use(int (*get)(clockid_t, struct timespec *));

// Reads the offset of the process's time namespace; call once when the process begins, and in a forked child. Without
// /proc there is no offset.
void clock_read_namespace(void);

// The time of day in UTC, ISO 8601, to the second.
void clock_utc(char *out, size_t size);

#endif
