// SPDX-License-Identifier: Apache-2.0
// One timed slice: threads, each on a CPU of its own, work until the time is up. Work is done and timed in chunks; a
// chunk in which the kernel took the CPU away is left out, with its time. What a loop returns or leaves behind is
// checked.
#ifndef PROFILER_MEASURE_SURVEY_SURVEY_TEAM_H
#define PROFILER_MEASURE_SURVEY_SURVEY_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/measure/kernels/kernels.h"
#include "profiler/measure/kernels/kernels_walk.h"

enum survey_team_work {
    SURVEY_TEAM_LOOP, // one of the kernels
    SURVEY_TEAM_WALK,
    SURVEY_TEAM_ONCE, // the same, once through the region; no warming up, as the memory may be untouched
};

struct survey_team_job {
    // What to do:
    int cpu;
    enum survey_team_work work;
    kernels_run *loop;          // of kernels_op
    enum kernels_op op;
    char *to;                   // written
    const char *from;           // read: its words are their own index, counted from first_word
    uint64_t first_word;
    size_t bytes;               // of each
    uint64_t value;             // what writes write
    size_t at;                  // offset of the next chunk; the next slice goes on from there
    const struct kernels_walk_line *line; // where the walk is
    size_t lines;               // of its region
    bool pauses;                // after every step of the walk; their time is not counted
    // What came of it:
    double bytes_done, steps_done, kept_ns; // undisturbed chunks
    double pause_ns;            // of one pause, found out on this CPU
    double lost_ns;             // chunks in which the CPU was taken away
    uint64_t all_lines;         // walked, read, written or copied, also those that were not timed
    bool is_wrong;              // a loop did not do what it should have
    int error;                  // the CPU could not be had: -errno
};

// Runs all jobs at once, each until it has kept slice_ns or five times that have passed. Only the first count towards
// the end: the others go on until it is done with its own. 0, -EINTR (*stop was set), -EAGAIN (no threads), -ENOMEM.
int survey_team_run(struct survey_team_job *jobs, size_t count, double slice_ns, const atomic_bool *stop);

#endif
