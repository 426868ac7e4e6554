// SPDX-License-Identifier: Apache-2.0
// Flushes a range of memory from all caches of the machine. Without the flush, lines that another node's idle CPUs
// touched before stay in their caches, and these caches answer instead of the memory.
#ifndef PROFILER_MEASURE_KERNELS_KERNELS_FLUSH_H
#define PROFILER_MEASURE_KERNELS_KERNELS_FLUSH_H

#include <stdbool.h>
#include <stddef.h>

// False: a program cannot flush caches on this architecture.
bool kernels_flush_lines(const char *from, size_t bytes);

#endif
