// SPDX-License-Identifier: Apache-2.0
// Work that needs more stack than `ulimit -s` may leave: libdw keeps the lines of a file there.
#ifndef CORE_PROCESS_LARGE_STACK_H
#define CORE_PROCESS_LARGE_STACK_H

// Runs work(context) on a stack of 8 MiB, in a thread of its own that is waited for; where there can be none, on the
// caller's.
void large_stack_run(void (*work)(void *context), void *context);

#endif
