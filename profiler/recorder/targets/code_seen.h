// SPDX-License-Identifier: Apache-2.0
#ifndef PROFILER_RECORDER_TARGETS_CODE_SEEN_H
#define PROFILER_RECORDER_TARGETS_CODE_SEEN_H

#include "profiler/recorder/targets/targets.h"

// A process has mapped code of this file, at that time: the file is held open from now on. Of OpenBLAS, whose number of
// threads nothing else tells from outside, the process's environment is asked for that.
void code_seen(const struct targets *targets, const struct process *process, const char *path, uint64_t time);

#endif
