// SPDX-License-Identifier: Apache-2.0
#ifndef CORE_PROCESS_PROCESS_STAT_H
#define CORE_PROCESS_PROCESS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Reads /proc/PID/stat (proc(5)) into text. *fields: behind the name, which may hold anything: the first one is the
// state, field 3. -errno; -EINVAL: it is cut off.
int process_stat_read(char *text, size_t size, const char **fields, pid_t pid);

// By which number the kernel shows the memory of the process: by that of another thread if the main one has ended.
pid_t process_stat_shown(pid_t pid);

// Whether a process or thread in this state has ended: its parent has not asked how, or it is just going.
static inline bool process_stat_is_ended(char state)
{
    return state == 'Z' || state == 'X';
}

// The same of one, by its number; also true of one that is not there.
bool process_stat_has_ended(pid_t tid);

#endif
