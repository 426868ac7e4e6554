// SPDX-License-Identifier: Apache-2.0
// Records one run of the target. The modules in the folders below own what they know; this one owns the modules, opens them
// in order, and passes on what is due. One thread (the one that opened it) drives it; the thread starts, the snapshots of
// pages and the recording's writer have threads of their own.
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

// Reads the machine and plans the events. Prints what is wrong and returns an exit status, or 0.
int recorder_open(struct recorder *recorder);

// What CHANNEL_ENVIRONMENT must say for the preload library; NULL: there is no channel.
const char *recorder_channel_address(const struct recorder *recorder);

// The preload library that the target will load. Its frames are left out of call stacks. "": none.
// why_not: the remedy where programs will not connect, or NULL.
void recorder_set_preload(struct recorder *recorder, const char *path, const char *why_not);

// launch_prepare, from a thread whose page-fault events the target inherits.
int recorder_launch(struct recorder *recorder, struct launch *launch, const struct launch_signals *signals,
                    char *const *environment);

// Creates the recording and opens everything on pid, which has not run yet (with options->running: on those, which go on). The
// same on errors as recorder_open.
int recorder_attach(struct recorder *recorder, const char *path, pid_t pid);

// The target runs from now on.
void recorder_start(struct recorder *recorder);

// Calls watch with each descriptor that becomes readable when something is to be done, until it fails. Returns 0 or its error.
int recorder_watch(const struct recorder *recorder, int (*watch)(void *context, int fd), void *context);

// A watched descriptor became readable.
void recorder_ready(struct recorder *recorder, int fd);

// Does what is due. now: CLOCK_MONOTONIC. Returns how many records and messages there were: a sign of how soon to come again.
size_t recorder_tick(struct recorder *recorder, uint64_t now);

// False: no process of the target is left.
bool recorder_has_targets(const struct recorder *recorder);

// The target's end, as wait(2) reports it (NULL: not seen); resolves symbols and closes the recording.
// Returns 0, or the first error of writing it.
int recorder_finish(struct recorder *recorder, const int *wait_status, uint64_t end);

#endif
