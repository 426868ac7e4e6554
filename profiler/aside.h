// SPDX-License-Identifier: Apache-2.0
// The recorder keeps off the CPU on which the program begins. Nothing holds the program's main thread there until it makes
// its first thread: a recorder that works there drives it away, to another node perhaps, in the middle of initialisation.
#ifndef PROFILER_ASIDE_H
#define PROFILER_ASIDE_H

#include "core/cpulist.h"

// The calling thread, and those it will make, leave cpu if there is another. before: its mask until now.
void aside_step(struct cpulist *before, int cpu);
// Back to where it was; an empty set: it never left.
void aside_return(const struct cpulist *before);

#endif
