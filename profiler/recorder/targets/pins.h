// SPDX-License-Identifier: Apache-2.0
// Takes the pins off again: when the recorder goes before the program, and when a process has left the channel.
#ifndef PROFILER_RECORDER_TARGETS_PINS_H
#define PROFILER_RECORDER_TARGETS_PINS_H

#include "profiler/recorder/targets/targets.h"

// Each thread that still has our mask gets the one that its process began with. The preload library does so too, but
// only when a thread calls it, which one that computes may never do.
void pins_give_back(const struct targets *targets);

// The library has given back the masks of the process's threads, and says nothing more.
void pins_forget(const struct targets *targets, const struct process *process);

#endif
