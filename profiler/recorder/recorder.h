// SPDX-License-Identifier: Apache-2.0
// Records one run of the target. The recorder owns the modules in the folders below, opens them in order, and calls
// each when its work is due. The thread that opened the recorder drives it; thread starts, page snapshots and the
// recording's writer have separate threads.
#ifndef PROFILER_RECORDER_RECORDER_H
#define PROFILER_RECORDER_RECORDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/launch/launch.h"
#include "profiler/launch/run_options.h"
#include "profiler/launch/target.h"

struct recorder;

// repeat: from 1. NULL: out of memory. recorder_close frees it.
struct recorder *recorder_new(const struct run_options *options, const struct target *target, int repeat);
void recorder_close(struct recorder *recorder);

// Reads the machine and plans the events. Returns 0, or prints an error and returns an exit status.
int recorder_open(struct recorder *recorder);

// Value of CHANNEL_ENVIRONMENT for the preload library; NULL: no channel.
const char *recorder_channel_address(const struct recorder *recorder);

// path: the preload library that the target will load, "" for none; its frames are left out of call stacks.
// why_not: the remedy if programs cannot connect, or NULL.
void recorder_set_preload(struct recorder *recorder, const char *path, const char *why_not);

// Calls launch_prepare in a thread whose page-fault events the target inherits.
int recorder_launch(struct recorder *recorder, struct launch *launch, const struct launch_signals *signals,
                    char *const *environment);

// Creates the recording and opens all events on pid, which has not run yet, or on the running processes of
// options->running. Errors as for recorder_open.
int recorder_attach(struct recorder *recorder, const char *path, pid_t pid);

// The target runs from now on.
void recorder_start(struct recorder *recorder);

// Calls watch with each descriptor that signals work, until watch fails. Returns 0 or watch's error.
int recorder_watch(const struct recorder *recorder, int (*watch)(void *context, int fd), void *context);

// A watched descriptor became readable.
void recorder_ready(struct recorder *recorder, int fd);

// Does all work that is due. now: CLOCK_MONOTONIC, ns. Returns the number of records and messages.
size_t recorder_tick(struct recorder *recorder, uint64_t now);

// False: no process of the target is left.
bool recorder_has_targets(const struct recorder *recorder);

// Of the job on this host, this one among them; 1 where nobody tells.
int recorder_ranks(const struct recorder *recorder);

// Resolves symbols and closes the recording. wait_status: of the target, as wait(2) reports it; NULL: its end was not
// seen. Returns 0, or the first error of writing.
int recorder_finish(struct recorder *recorder, const int *wait_status, uint64_t end);

#endif
