// SPDX-License-Identifier: Apache-2.0
#include "collectors/faults/faults_downsample.h"

#include "core/system/clock.h"

enum {
    FAULTS_BURST_OF_ALL = 16000,
    FAULTS_BURST_MOST = 2000, // about the content of the largest ring
    FAULTS_BURST_LEAST = 250,
    FAULTS_WINDOW_MS = 10, // every fault is recorded again after a window of this length ...
    FAULTS_FEW = FAULTS_PER_MS * FAULTS_WINDOW_MS, // ... with at most this many faults
    FAULTS_OWED_SHARE = 32, // of the owed faults one sample gets a 32nd: so threads that take turns share them
};

static int64_t faults_downsample_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct faults_downsample faults_downsample_begin(int rings, bool is_always_on)
{
    int64_t burst = faults_downsample_least(FAULTS_BURST_OF_ALL / (rings > 0 ? rings : 1), FAULTS_BURST_MOST);
    if (burst < FAULTS_BURST_LEAST)
        burst = FAULTS_BURST_LEAST;
    return (struct faults_downsample){
        .is_on = is_always_on, .is_always_on = is_always_on, .burst = burst, .credit = burst};
}

uint64_t faults_downsample_weight(struct faults_downsample *downsample, uint64_t weight)
{
    const int64_t part = (downsample->owed + FAULTS_OWED_SHARE - 1) / FAULTS_OWED_SHARE;
    const int64_t extra = part < 1 - (int64_t)weight ? 1 - (int64_t)weight : part; // a sample is one fault at least
    downsample->owed -= extra;
    downsample->window_faults += (int64_t)weight;
    downsample->represented += weight + (uint64_t)extra;
    if (downsample->window_faults > downsample->credit)
        downsample->is_on = true; // at once: a drain of many rings takes long
    return weight + (uint64_t)extra;
}

static int64_t faults_downsample_window_ms(const struct faults_downsample *downsample, uint64_t now)
{
    return (int64_t)((now - downsample->window_start) / CLOCK_MS);
}

bool faults_downsample_is_due(const struct faults_downsample *downsample, uint64_t now)
{
    return !downsample->is_on || faults_downsample_window_ms(downsample, now) >= FAULTS_WINDOW_MS;
}

// Faults that no sample stands for, or less than 0: faults that samples stand for twice.
static int64_t faults_downsample_missing(uint64_t represented, struct faults_counted counted)
{
    if (represented < counted.before)
        return (int64_t)(counted.before - represented);
    return represented > counted.now ? -(int64_t)(represented - counted.now) : 0;
}

void faults_downsample_adapt(struct faults_downsample *downsample, struct faults_counted counted, uint64_t now)
{
    const int64_t ms = faults_downsample_least(faults_downsample_window_ms(downsample, now), downsample->burst);
    downsample->credit = faults_downsample_least(downsample->credit + ms * FAULTS_PER_MS, downsample->burst);
    if (!downsample->is_on)
        downsample->credit -= faults_downsample_least(downsample->window_faults, downsample->credit);
    else if (!downsample->is_always_on) {
        downsample->owed = faults_downsample_missing(downsample->represented, counted);
        downsample->is_on = downsample->window_faults > FAULTS_FEW || downsample->credit <= 0;
    }
    if (ms > 0)
        downsample->window_start = now;
    downsample->window_faults = 0;
}
