// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/survey/survey_team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/system/clock.h"
#include "core/topology/cpulist.h"
#include "core/topology/thread_mask.h"
#include "profiler/measure/result/result.h"

enum {
    SURVEY_TEAM_CHUNK = 4 << 20, // bytes: long beside reading a clock, short beside a time slice of the scheduler
    SURVEY_TEAM_ONCE_CHUNK = 512 << 10, // bytes of untouched memory: page faults take their time
    SURVEY_TEAM_STEPS = 2048, // of a walk, for the same reason
    SURVEY_TEAM_PAUSE_TRIES = 16,
    SURVEY_TEAM_PATIENCE = 5, // slices, for one on a busy machine
};

struct survey_team {
    pthread_mutex_t gate;       // held until all threads exist
    bool is_off;                // under gate: too few threads started, so none works
    atomic_size_t coming;       // threads that are not ready yet
    atomic_size_t working;      // jobs that have not yet kept a slice
    double slice_ns;
    const atomic_bool *stop;
};

struct survey_team_member {
    struct survey_team *team;
    struct survey_team_job *job;
    pthread_t thread;
};

// How often the kernel took the CPU away from this thread.
static long survey_team_interruptions(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nivcsw;
}

// --- checks, outside the timed part

// The sum of the words first to first + count - 1 where each is its own index.
static uint64_t survey_team_sum(uint64_t first, uint64_t count)
{
    return first * count + (count % 2 ? count * ((count - 1) / 2) : count / 2 * (count - 1));
}

static uint64_t survey_team_add(const char *from, size_t bytes)
{
    return kernels_c.run[KERNELS_READ](&(struct kernels_block){.from = from, .bytes = bytes});
}

static bool survey_team_stride_is_written(const struct survey_team_job *job, size_t at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += KERNELS_LINE)
        if (*(const uint32_t *)(const void *)(job->to + at + i) != (uint32_t)job->value)
            return false;
    return true;
}

static bool survey_team_is_right(const struct survey_team_job *job, size_t at, size_t bytes, uint64_t result)
{
    uint64_t sum = survey_team_sum(job->first_word + at / 8, bytes / 8);
    switch (job->op) {
    case KERNELS_READ:
    case KERNELS_READ_PREFETCH:
        return result == sum;
    case KERNELS_WRITE:
    case KERNELS_WRITE_NT:
        return survey_team_add(job->to + at, bytes) == job->value * (bytes / 8);
    case KERNELS_COPY:
    case KERNELS_COPY_NT:
        return survey_team_add(job->to + at, bytes) == sum;
    default:
        return survey_team_stride_is_written(job, at, bytes);
    }
}

// --- chunks

// Sets *ns to the time of the chunk. False: the kernel took the CPU away meanwhile.
static bool survey_team_chunk(struct survey_team_job *job, size_t bytes, double *ns)
{
    struct kernels_block block = {.to = job->to ? job->to + job->at : NULL,
                                  .from = job->from ? job->from + job->at : NULL, .bytes = bytes,
                                  .value = job->value};
    uint64_t rank = job->work == SURVEY_TEAM_WALK ? job->line->rank : 0, result = 0;
    long before = survey_team_interruptions();
    uint64_t start = clock_now();
    if (job->work == SURVEY_TEAM_WALK)
        job->line = job->pauses ? kernels_walk_go_pausing(job->line, SURVEY_TEAM_STEPS)
                                : kernels_walk_go(job->line, SURVEY_TEAM_STEPS);
    else
        result = job->loop(&block);
    *ns = (double)(clock_now() - start);
    bool kept = survey_team_interruptions() == before;
    if (job->work == SURVEY_TEAM_WALK)
        job->is_wrong |= !kernels_walk_is_right(rank, SURVEY_TEAM_STEPS, job->line->rank, job->lines);
    else if (job->op == KERNELS_READ || job->op == KERNELS_READ_PREFETCH)
        job->is_wrong |= !survey_team_is_right(job, job->at, bytes, result);
    return kept;
}

static size_t survey_team_chunk_bytes(const struct survey_team_job *job)
{
    size_t left = job->bytes - job->at,
           chunk = job->work == SURVEY_TEAM_ONCE ? SURVEY_TEAM_ONCE_CHUNK : SURVEY_TEAM_CHUNK;
    return left < chunk ? left : chunk;
}

static void survey_team_step(struct survey_team_job *job, bool counts)
{
    double ns;
    size_t bytes = job->work == SURVEY_TEAM_WALK ? 0 : survey_team_chunk_bytes(job);
    bool kept = survey_team_chunk(job, bytes, &ns);
    job->all_lines += job->work == SURVEY_TEAM_WALK ? SURVEY_TEAM_STEPS : bytes / KERNELS_LINE;
    job->at = job->bytes ? (job->at + bytes) % job->bytes : 0;
    if (counts && kept) {
        job->bytes_done += (double)bytes;
        job->steps_done += job->work == SURVEY_TEAM_WALK ? SURVEY_TEAM_STEPS : 0;
        job->kept_ns += ns;
    } else if (counts) {
        job->lost_ns += ns;
    }
}

// Checks the last chunk of a slice: all chunks run the same loop.
static void survey_team_check_written(struct survey_team_job *job)
{
    if (job->error < 0 || job->work == SURVEY_TEAM_WALK || job->op == KERNELS_READ || job->op == KERNELS_READ_PREFETCH)
        return;
    size_t end = job->at > 0 ? job->at : job->bytes, start = (end - 1) / SURVEY_TEAM_CHUNK * SURVEY_TEAM_CHUNK;
    job->is_wrong |= !survey_team_is_right(job, start, end - start, 0);
}

static bool survey_team_goes_on(const struct survey_team *team, const struct survey_team_job *job, uint64_t start)
{
    if (atomic_load(team->stop) || job->is_wrong)
        return false;
    if (job->work == SURVEY_TEAM_ONCE)
        return job->at != 0;
    return job->kept_ns < team->slice_ns && (double)(clock_now() - start) < team->slice_ns * SURVEY_TEAM_PATIENCE;
}

// Time of one pause: a walk over one line with pauses, minus one without. The median, because some tries are disturbed.
static double survey_team_pause(void)
{
    struct kernels_walk_line spot = {.next = &spot};
    const struct kernels_walk_line *line = &spot;
    double pauses[SURVEY_TEAM_PAUSE_TRIES];
    for (int i = 0; i < SURVEY_TEAM_PAUSE_TRIES; i++) {
        uint64_t start = clock_now();
        line = kernels_walk_go_pausing(line, SURVEY_TEAM_STEPS);
        uint64_t between = clock_now();
        line = kernels_walk_go(line, SURVEY_TEAM_STEPS);
        pauses[i] = ((double)(between - start) - (double)(clock_now() - between)) / SURVEY_TEAM_STEPS;
    }
    return result_median(pauses, SURVEY_TEAM_PAUSE_TRIES);
}

static bool survey_team_is_off(struct survey_team *team)
{
    pthread_mutex_lock(&team->gate);
    bool is_off = team->is_off;
    pthread_mutex_unlock(&team->gate);
    return is_off;
}

static void survey_team_wait(struct survey_team *team)
{
    atomic_fetch_sub(&team->coming, 1);
    while (atomic_load(&team->coming) > 0)
        sched_yield();
}

static void *survey_team_main(void *argument)
{
    struct survey_team_member *member = argument;
    struct survey_team *team = member->team;
    struct survey_team_job *job = member->job;
    if (survey_team_is_off(team))
        return NULL;
    job->error = thread_mask_bind(0, job->cpu);
    if (job->error == 0 && job->work != SURVEY_TEAM_ONCE)
        survey_team_step(job, false); // clock speed, translations
    if (job->pauses)
        job->pause_ns = survey_team_pause();
    survey_team_wait(team);
    uint64_t start = clock_now();
    if (job->error == 0)
        do
            survey_team_step(job, true);
        while (survey_team_goes_on(team, job, start));
    atomic_fetch_sub(&team->working, 1);
    while (job->error == 0 && job->work != SURVEY_TEAM_ONCE && atomic_load(&team->working) > 0 &&
           !atomic_load(team->stop))
        survey_team_step(job, false); // the others are still being measured under this load
    survey_team_check_written(job);
    return NULL;
}

int survey_team_run(struct survey_team_job *jobs, size_t count, double slice_ns, const atomic_bool *stop)
{
    struct survey_team team = {
        .gate = PTHREAD_MUTEX_INITIALIZER, .coming = count, .working = count, .slice_ns = slice_ns, .stop = stop};
    struct survey_team_member *members = calloc(count, sizeof *members);
    size_t started = 0;
    if (!members)
        return -ENOMEM;
    pthread_mutex_lock(&team.gate);
    for (; started < count; started++) {
        members[started] = (struct survey_team_member){.team = &team, .job = &jobs[started]};
        if (pthread_create(&members[started].thread, NULL, survey_team_main, &members[started]) != 0)
            break;
    }
    team.is_off = started < count;
    pthread_mutex_unlock(&team.gate);
    for (size_t i = 0; i < started; i++)
        pthread_join(members[i].thread, NULL);
    free(members);
    if (team.is_off)
        return -EAGAIN;
    return atomic_load(stop) ? -EINTR : 0;
}
