// SPDX-License-Identifier: Apache-2.0
// How many files the recorder may have open: events of a thread are several, and the default of 1024 ends at some 100
// threads. The target, which is forked before, keeps what it had.
#ifndef PROFILER_LAUNCH_FILE_LIMIT_H
#define PROFILER_LAUNCH_FILE_LIMIT_H

#include <sys/resource.h>

// As high as this process may go. *before is for file_limit_return. No privilege: the hard limit.
void file_limit_raise(struct rlimit *before);
void file_limit_return(const struct rlimit *before);

#endif
