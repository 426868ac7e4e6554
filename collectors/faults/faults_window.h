// SPDX-License-Identifier: Apache-2.0
// The page faults of 2 MiB, as a number: which threads had one. Threads that come at the same time to a huge page that
// is not there yet have one fault each; where a thread has two, pages are smaller.
#ifndef COLLECTORS_FAULTS_FAULTS_WINDOW_H
#define COLLECTORS_FAULTS_FAULTS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

// seen: 0 before the first fault. Of more than 63 threads some count as the same.
uint64_t faults_window_add(uint64_t seen, int64_t thread);

// True if no thread had more than one fault.
bool faults_window_may_be_one_page(uint64_t seen);

// Number of threads that had a fault beside the first.
unsigned int faults_window_others(uint64_t seen);

#endif
