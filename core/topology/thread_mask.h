// SPDX-License-Identifier: Apache-2.0
// Affinity masks of threads, by system call: in the preload library the C library's functions of that name are its own.
#ifndef CORE_TOPOLOGY_THREAD_MASK_H
#define CORE_TOPOLOGY_THREAD_MASK_H

#include <sys/types.h>

#include "core/topology/cpulist.h"

// tid 0: the calling thread. All return 0 or -errno.
int thread_mask_get(pid_t tid, struct cpulist *mask);
int thread_mask_set(pid_t tid, const struct cpulist *mask);
int thread_mask_bind(pid_t tid, int cpu); // to one CPU

#endif
