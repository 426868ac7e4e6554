// SPDX-License-Identifier: Apache-2.0
// From addresses in files to functions, files and lines, inlined calls included, through elfutils. Reads debug information
// in the file, beside it and below /usr/lib/debug (by build id and debug link); never asks the network.
#ifndef PROFILER_SYMBOLS_H
#define PROFILER_SYMBOLS_H

#include "collectors/stacks.h"

// Resolves every place of stacks and updates the recording; inlined callers become new places. What cannot be resolved
// stays module and address. progress is called now and then with the share that is done (may be NULL).
// Returns how many places got at least a function.
int64_t symbols_resolve(const struct stacks *stacks, struct record_queue *queue, void (*progress)(double done));

#endif
