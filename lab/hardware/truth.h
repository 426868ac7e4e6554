// SPDX-License-Identifier: GPL-2.0-or-later
// The truth by page: which thread had how many lines of which page from memory or another node's cache, by class.
#ifndef HARDWARE_TRUTH_H
#define HARDWARE_TRUTH_H

#include "lab/hardware/counters.h"

// Rows behind the shared memory's fixed part, where lab_shared.truth_rows says that there are any. Returns 0 or
// -ENOMEM.
int truth_init(struct lab_shared *shared);

// Notes a user-mode request that left the node's shared cache; cpu->truth is not NULL.
void truth_count(struct cpu *cpu, enum lab_class class, const struct counters_access *access);

#endif
