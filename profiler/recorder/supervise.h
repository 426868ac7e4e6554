// SPDX-License-Identifier: Apache-2.0
// Waits for the target and drives the recorder meanwhile. The target owns the terminal and gets its signals, as if the
// shell had started it.
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
    bool is_dead;            // the target has ended ...
    int wait_status;         // ... with this status of wait(2)
    uint64_t end;            // CLOCK_MONOTONIC
    bool all_gone;           // nothing that it started is left
    const struct launch_signals *before;
    int terminations;        // TERMs that came ...
    uint32_t terminator;     // ... the last one from this process ...
    uint64_t terminated_at;  // ... and then
    bool give_up;            // do not wait any longer
    uint64_t until;          // CLOCK_MONOTONIC, 0: no limit
};

// Blocks all signals, before the target is forked. *before: the mask and handlers that the target gets.
int supervise_block(struct launch_signals *before);

// Drives the recorder until the target and all that it started are gone, or the user insists (docs/signals.md). Returns
// 0 or -errno. before: of supervise_block. quiet: prints no message while it waits for what the target left running.
int supervise_run(struct supervision *supervision, struct recorder *recorder, pid_t target,
                  const struct launch_signals *before, bool quiet);

// Drives the recorder of processes that numaprof did not start: until they have ended, until duration_ms have passed
// (0: no limit), or until a signal asks for the end.
int supervise_running(struct supervision *supervision, struct recorder *recorder, uint64_t duration_ms);

// How long the recorder waits at most, in ms: 1 ms after a record, twice as long after each wait without one, up to
// 25 ms for each rank of the host (recorder_ranks), 100 ms in all.
int supervise_next_wait_ms(int wait_ms, size_t records, int ranks);

// The same as supervise_run where nothing is recorded: waits for the target.
int supervise_wait(struct supervision *supervision, pid_t target);

// True if a signal asked for the end of all repeats.
bool supervise_was_ended(const struct supervision *supervision);

// Returns numaprof's exit status: the target's. If a signal killed the target, sends it to numaprof and does not
// return.
int supervise_repeat_end(const struct supervision *supervision);

#endif
