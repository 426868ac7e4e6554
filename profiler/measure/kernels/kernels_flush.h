// SPDX-License-Identifier: Apache-2.0
// Empties all caches of the machine of some memory. Without it, lines that another node's idle CPUs touched before stay
// in their caches, which then answer in the memory's place.
#ifndef PROFILER_MEASURE_KERNELS_KERNELS_FLUSH_H
#define PROFILER_MEASURE_KERNELS_KERNELS_FLUSH_H

#include <stdbool.h>
#include <stddef.h>

// False: a program cannot do that on this architecture.
bool kernels_flush_lines(const char *from, size_t bytes);

#endif
