// SPDX-License-Identifier: Apache-2.0
// Work that needs more stack than `ulimit -s` may leave: libdw keeps the lines of a file there.
#ifndef CORE_PROCESS_LARGE_STACK_H
#define CORE_PROCESS_LARGE_STACK_H

#include <stdbool.h>

// Runs work(context) on a stack of 8 MiB, in a thread of its own that is waited for; where there can be none, on the
// caller's. False: it gave up.
bool large_stack_run(void (*work)(void *context), void *context);

// Ends the work that the calling thread runs, whatever it has called meanwhile: for handlers that must not return.
_Noreturn void large_stack_give_up(void);

#endif
