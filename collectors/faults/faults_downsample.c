// SPDX-License-Identifier: Apache-2.0
// Decides how many faults are recorded. The first burst of faults is recorded whole: an initialisation begins so, and
// with huge pages a burst is all of it. All CPUs share one burst, because one recorder must keep up with it.
#include "collectors/faults/faults.h"

#include "core/system/clock.h"

enum {
    FAULTS_BURST_OF_ALL = 16000,
    FAULTS_BURST_MOST = 2000, // about the content of the largest ring
    FAULTS_BURST_LEAST = 250,
    FAULTS_WINDOW_MS = 10, // every fault is recorded again after a window of this length ...
    FAULTS_FEW = FAULTS_PER_MS * FAULTS_WINDOW_MS, // ... with at most this many faults
    FAULTS_OWED_SHARE = 32, // of the owed faults one sample gets a 32nd: so threads that take turns share them
};

static int64_t faults_burst(const struct faults *faults)
{
    int64_t burst = FAULTS_BURST_OF_ALL / (faults->sources > 0 ? faults->sources : 1);
    return burst > FAULTS_BURST_MOST ? FAULTS_BURST_MOST : burst < FAULTS_BURST_LEAST ? FAULTS_BURST_LEAST : burst;
}

static void faults_switch(struct faults_source *source, bool downsample)
{
    int (*change)(int fd) = downsample ? perf_event_disable : perf_event_enable;
    change(source->fd_every);
    for (size_t i = 0; i < source->more_count; i++)
        change(source->more[i].fd_every);
    source->is_downsampled = downsample;
}

void faults_downsample_begin(struct faults_source *source)
{
    source->credit = faults_burst(source->faults);
}

uint64_t faults_downsample_weight(struct faults_source *source, uint64_t weight)
{
    const int64_t extra = (source->owed + FAULTS_OWED_SHARE - 1) / FAULTS_OWED_SHARE;
    source->owed -= extra;
    source->window_faults += (int64_t)weight;
    source->represented += weight + (uint64_t)extra;
    if (!source->is_downsampled && source->window_faults > source->credit)
        faults_switch(source, true); // at once: a drain of many rings takes long
    return weight + (uint64_t)extra;
}

void faults_downsample_lost(struct faults_source *source)
{
    if (!source->is_downsampled)
        faults_switch(source, true);
}

// Compares with the count at the end of the last window, since samples of the newest faults may still wait in the ring.
static void faults_owe(struct faults_source *source)
{
    const int64_t missing = (int64_t)(source->counted - source->represented);
    source->owed = missing > 0 ? missing : 0;
    faults_count(source);
}

void faults_adapt(struct faults_source *source, uint64_t now)
{
    uint64_t ms = (now - source->window_start) / CLOCK_MS;
    int64_t burst = faults_burst(source->faults);
    if (ms > 0) {
        int64_t refilled = source->credit + (int64_t)(ms < (uint64_t)burst ? ms : (uint64_t)burst) * FAULTS_PER_MS;
        source->credit = refilled < burst ? refilled : burst;
    }
    if (source->is_downsampled && ms < FAULTS_WINDOW_MS)
        return;
    if (source->is_downsampled && !source->faults->of_machine)
        faults_owe(source);
    if (source->is_downsampled && !source->faults->of_machine && source->window_faults <= FAULTS_FEW &&
        source->credit > 0)
        faults_switch(source, false);
    else if (!source->is_downsampled)
        source->credit -= source->window_faults < source->credit ? source->window_faults : source->credit;
    if (ms > 0)
        source->window_start = now;
    source->window_faults = 0;
}
