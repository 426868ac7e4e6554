// SPDX-License-Identifier: Apache-2.0
// A second opinion on numaprof topology --measure, written apart from it: a sum and STREAM's copy in plain C, memcpy,
// and a pointer chase. In slices, so that they can take turns with ours.
#ifndef TESTS_BENCH_STREAM_LIKE_H
#define TESTS_BENCH_STREAM_LIKE_H

#include <stddef.h>
#include <stdint.h>

struct stream_like {
    const uint64_t *from;       // every word is one more than that before it
    uint64_t *to;
    size_t count;               // of words in each, a multiple of 32 MiB
    size_t at;                  // where the next slice begins
    char *line;                 // where the chase is: each line holds the address of the next
};

// A list of its own: all lines of so many bytes in an order by chance. Ends the program where there is no memory.
char *stream_like_list(size_t bytes);

// Some ten milliseconds of it: GB/s of read, copy, copy_nt (one thread), read_all, copy_all, copy_nt_all (all that
// OpenMP has), where a copy counts what it reads and what it writes; ns a load of latency_random. 0: the kernel took a
// CPU away all the time; -1: nothing is called so.
double stream_like_slice(struct stream_like *s, const char *metric);

#endif
