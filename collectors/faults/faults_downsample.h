// SPDX-License-Identifier: Apache-2.0
// Decides how many faults of one ring are recorded. The first burst of faults is recorded whole: an initialisation
// begins so, and with huge pages a burst is all of it. All rings share one burst, because one recorder must keep up
// with it. After it, only a sample of the faults is recorded until they come slowly again. The caller counts the faults
// and switches the events.
#ifndef COLLECTORS_FAULTS_FAULTS_DOWNSAMPLE_H
#define COLLECTORS_FAULTS_FAULTS_DOWNSAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum { FAULTS_PER_MS = 10 }; // recorded on one CPU while faults come in masses: at 2 us each, 2 % of its time

struct faults_downsample {
    bool is_on;              // only a sample is recorded
    bool is_always_on;
    uint64_t window_start;   // since when window_faults came, CLOCK_MONOTONIC
    int64_t window_faults;
    int64_t burst;           // the most that credit can be
    int64_t credit;          // faults that may be recorded before a sample must do
    uint64_t represented;    // faults that the samples so far stand for
    int64_t owed;            // faults without a sample, added to the next samples; below 0: taken from the next samples
};

struct faults_counted {
    uint64_t before; // until the end of the last window: samples of newer faults may still wait in the ring
    uint64_t now;    // UINT64_MAX: unknown
};

// rings: how many share one burst.
struct faults_downsample faults_downsample_begin(int rings, bool is_always_on);

// Takes a sample's weight; returns the weight with a part of the owed faults.
uint64_t faults_downsample_weight(struct faults_downsample *downsample, uint64_t weight);

// Whether faults_downsample_adapt has something to do at that time (CLOCK_MONOTONIC).
bool faults_downsample_is_due(const struct faults_downsample *downsample, uint64_t now);
// Ends a window. A sample stands for faults on both sides of it, so that faults near a change between every fault and
// a sample of them are represented twice.
void faults_downsample_adapt(struct faults_downsample *downsample, struct faults_counted counted, uint64_t now);

#endif
