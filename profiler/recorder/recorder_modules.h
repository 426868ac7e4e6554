// SPDX-License-Identifier: Apache-2.0
// The recorder's modules. Only recorder.c and recorder_open.c see this.
#ifndef PROFILER_RECORDER_RECORDER_MODULES_H
#define PROFILER_RECORDER_RECORDER_MODULES_H

#include <limits.h>
#include <time.h>

#include "collectors/pages/movers.h"
#include "collectors/pages/pages.h"
#include "profiler/launch/launch_thread.h"
#include "profiler/launch/run_options.h"
#include "profiler/launch/target.h"
#include "profiler/recorder/own_limits.h"
#include "profiler/recorder/run/run_rows.h"
#include "profiler/recorder/targets/attached.h"
#include "profiler/recorder/targets/kernel_records.h"
#include "profiler/recorder/targets/messages.h"
#include "profiler/recorder/targets/proc_scan.h"

struct recorder {
    const struct run_options *options;
    const struct target *target;
    time_t started;                  // by the clock that files have
    pid_t pid;                       // of the target
    char preload_path[PATH_MAX];     // as the kernel reports it; "": none
    const char *why_no_preload;      // NULL: there is a library, or the reason is unknown
    struct programs_unconnected unconnected;
    struct own_limits limits;
    struct launch_thread launcher;
    struct machine machine;
    struct run_rows run;

    struct channel_server channel;
    int channel_error;               // why there is none
    bool has_channel;                // threads connect at their start and are pinned
    struct thread_starts starts;

    struct tasks tasks;
    struct perf_streams streams;
    struct losses losses;
    struct refusals refusals;
    struct samples samples;
    struct stack_walk walk;
    struct allocations allocations;
    struct counter_sets sets;
    struct windows windows;
    struct pages pages;
    struct movers movers;            // before the run
    struct targets targets;
    struct kernel_records records;
    struct messages messages;
    struct proc_scan scan;
    struct attached attached;        // numaprof attach
};

#endif
