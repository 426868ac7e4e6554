// SPDX-License-Identifier: Apache-2.0
// Waits for the target as a shell would want its parent to: the target has the terminal and its signals; we come along.
#ifndef PROFILER_RECORDER_SUPERVISE_H
#define PROFILER_RECORDER_SUPERVISE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/launch/launch.h"
#include "profiler/recorder/recorder.h"

struct supervision {
    pid_t target;            // 0: processes that are not ours, which no signal is forwarded to
    int signals;             // signalfd
    bool is_dead;            // the target's end was seen ...
    int wait_status;         // ... and was this
    uint64_t end;            // CLOCK_MONOTONIC
    bool all_gone;           // nothing that it started is left
    const struct launch_signals *before;
    int terminations;        // TERMs that came ...
    uint32_t terminator;     // ... the last one from this process ...
    uint64_t terminated_at;  // ... and then
    bool give_up;            // do not wait any longer
    uint64_t until;          // CLOCK_MONOTONIC, 0: no limit
};

// Takes all signals from here on, before the target is forked; *before is what the target gets.
int supervise_block(struct launch_signals *before);

// Drives the recorder until the target and everything it started is gone, or somebody insists. Returns 0 or -errno.
// before: of supervise_block. quiet: says nothing while it waits for the rest.
int supervise_run(struct supervision *supervision, struct recorder *recorder, pid_t target,
                  const struct launch_signals *before, bool quiet);

// Drives the recorder of processes that are not ours: until they have ended, for so long (0: no limit), or until a
// signal asks for the end.
int supervise_running(struct supervision *supervision, struct recorder *recorder, uint64_t duration_ms);

// The same where nothing is recorded: waits for the target.
int supervise_wait(struct supervision *supervision, pid_t target);

// Somebody wanted the target to end, and not only this run of it.
bool supervise_was_ended(const struct supervision *supervision);

// The exit status for our own exit; a death by signal is repeated on ourselves and does not return.
int supervise_repeat_end(const struct supervision *supervision);

#endif
