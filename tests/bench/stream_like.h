// SPDX-License-Identifier: Apache-2.0
// A second opinion on numaprof topology --measure, written apart from it: STREAM's copy and a sum over arrays of double
// in plain C, memcpy, and a pointer chase over a shuffled list. In slices, so that they can take turns with ours.
#ifndef TESTS_BENCH_STREAM_LIKE_H
#define TESTS_BENCH_STREAM_LIKE_H

#include <stddef.h>

struct stream_like {
    double *from, *to;
    size_t count;               // of doubles in each
    size_t at;                  // where the next slice begins
    char *list, *line;          // of the chase, and where it is
};

// bytes: of each array, a multiple of 64 MiB. Ends the program where there is no memory.
void stream_like_open(struct stream_like *s, size_t bytes);
void stream_like_close(struct stream_like *s);

// Some ten milliseconds of it: GB/s of read, copy, copy_nt (one thread), read_all, copy_all, copy_nt_all (all that
// OpenMP has), where a copy counts what it reads and what it writes; ns a load of latency_random. 0: the kernel took a
// CPU away all the time; -1: nothing is called so.
double stream_like_slice(struct stream_like *s, const char *metric);

#endif
