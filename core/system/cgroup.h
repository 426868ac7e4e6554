// SPDX-License-Identifier: Apache-2.0
// The control group of a process in the unified hierarchy, version 2 of control groups (cgroups(7)).
#ifndef CORE_SYSTEM_CGROUP_H
#define CORE_SYSTEM_CGROUP_H

#include <stddef.h>

// Path of this process's group below /sys/fs/cgroup: "/" or "/a/b". Where version 1 is mounted beside it, the group of
// version 2. -ENOENT: only version 1 is there, or no /proc; -ENAMETOOLONG.
int cgroup_path(char *path, size_t size, const char *root);

#endif
