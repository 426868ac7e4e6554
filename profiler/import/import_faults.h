// SPDX-License-Identifier: Apache-2.0
// Finds the first touches among the page faults of a perf.data file. perf records neither whether the page was present
// nor its size. The only fault of a page is its first touch if the memory is private, the program was seen from its
// start and never forked, and every fault was recorded.
#ifndef PROFILER_IMPORT_IMPORT_FAULTS_H
#define PROFILER_IMPORT_IMPORT_FAULTS_H

#include <stdbool.h>

#include "collectors/processes/address_space.h"
#include "collectors/samples/samples.h"
#include "core/util/table.h"

enum { IMPORT_FAULTS_KEPT = 1 << 23 }; // faults beyond are of unknown kind

struct import_faults_row {
    struct samples_row row;
    uint64_t window, mapping;        // keys of its 2 MiB and of its mapping; window 0: no huge page can be there
    bool repeats;                    // its page has another fault
};

struct import_faults {
    struct samples *samples;         // set by the caller
    bool has_huge_pages;             // the recorded machine has huge pages of 2 MiB (x86)
    struct import_faults_row *rows;
    size_t count, size;
    struct table pages;              // page -> index of its first fault in rows
    struct table windows;            // 2 MiB that a mapping covers -> faults there
    struct table lone;               // mapping -> its 2 MiB with one fault, as huge pages have
    uint64_t first_touches, huge;    // found; of these, huge pages
};

// Takes a fault in private memory, which may be a first touch. import_faults_finish writes it; without room it is
// written at once, as of unknown kind.
void import_faults_add(struct import_faults *faults, const struct samples_row *row, int64_t process,
                       const struct mapping *mapping);

// Whether faults in this mapping may be first touches: it is private and not filled from a file.
bool import_faults_may_place(const struct mapping *mapping);

void import_faults_finish(struct import_faults *faults);
void import_faults_free(struct import_faults *faults);

#endif
