// SPDX-License-Identifier: Apache-2.0
// A placement as text, for `numaprof policies --under` and the table it stands in:
//
//   local                     first touch, as the kernel has it
//   interleave:0-3            pages take turns over these nodes
//   bind:1                    from these nodes only
//   ...@0-3,8                 and on these CPUs only
#ifndef PROFILER_LAUNCH_MEMORY_POLICY_H
#define PROFILER_LAUNCH_MEMORY_POLICY_H

#include <stdbool.h>

#include "core/topology/cpulist.h"

struct memory_policy {
    int mode;                   // MPOL_DEFAULT, MPOL_INTERLEAVE, MPOL_BIND
    struct cpulist nodes;
    bool has_cpus;
    struct cpulist cpus;
};

// -EINVAL: not of this form.
int memory_policy_parse(struct memory_policy *placement, const char *text);

// Sets it for this process; what it executes inherits it. -EINVAL: no such node or CPU, or none that is allowed;
// -EPERM, -ENOSYS: a filter or the kernel does not let us. *what gets the name of the call that failed.
int memory_policy_apply(const struct memory_policy *placement, const char **what);

#endif
