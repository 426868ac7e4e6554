// SPDX-License-Identifier: Apache-2.0
// Thread numbers of other pid namespaces: a container's init knows itself as 1.
#ifndef COLLECTORS_PROCESSES_NAMESPACES_H
#define COLLECTORS_PROCESSES_NAMESPACES_H

#include <sys/types.h>

// Our number of the thread of process pid (ours) that calls itself inner; 0 if there is none (any more).
pid_t namespaces_outer_tid(pid_t pid, pid_t inner);

#endif
