// SPDX-License-Identifier: Apache-2.0
// Classifies a page fault, which is not always a first touch. The event has no error code. A pure function decides by
// four facts: was a page mapped before the fault (PERF_SAMPLE_DATA_PAGE_SIZE, read before the fault is handled), what
// is mapped now, which kind of memory it is, and what was seen of this page earlier.
#ifndef COLLECTORS_FAULTS_FAULTS_KIND_H
#define COLLECTORS_FAULTS_FAULTS_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/processes/address_space.h"
#include "core/recording/recording.h"
#include "recording_codes.h"

// Values of sample_kind in core/recording/schema.sql.
enum faults_kind {
    FAULTS_FIRST_TOUCH = RECORDING_KIND_FIRST_TOUCH,
    FAULTS_ZERO_PAGE = RECORDING_KIND_ZERO_PAGE,
    FAULTS_COPY_ON_WRITE = RECORDING_KIND_COPY_ON_WRITE,
    FAULTS_REFAULT = RECORDING_KIND_REFAULT,
    FAULTS_HINT = RECORDING_KIND_HINT,
    FAULTS_FILE = RECORDING_KIND_FILE,
    FAULTS_UNKNOWN = RECORDING_KIND_FAULT,
};

enum faults_state { FAULTS_STATE_NEW, FAULTS_STATE_ZERO, FAULTS_STATE_TOUCHED };

struct faults_facts {
    const struct mapping *mapping; // NULL: no mapping known there
    enum faults_state before;       // what was seen of this page since its mapping was made
    int32_t now;                   // enum pages_state or node, soon after the fault
    int is_file_page;              // state now: 1 file page, 0 private page, negative: unknown
    bool tells_mapped;             // the kernel reports whether a page was mapped before the fault ...
    bool was_mapped;               // ... and a page was mapped
    bool saw_all;                  // no earlier fault of this process went unseen
    bool saw_zero_pages;           // zero pages were seen in this mapping
    bool forked;                   // the process shares pages copy-on-write with a parent or child
    bool balancing;                // automatic NUMA balancing makes hint faults
};

enum faults_kind faults_kind_of(const struct faults_facts *facts);

// True if this kind of fault decides the node of the page.
bool faults_kind_places(enum faults_kind kind);

#endif
