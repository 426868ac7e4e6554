// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/counter_sets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/system/clock.h"

enum { COUNTER_SETS_FIRST_EVENT = 2 }; // 1 is the page-faults event

// Rows of the time line after which its interval doubles: about 20 MB.
enum { COUNTER_SETS_ROWS = 500000 };

// The first rows have smaller steps, because the error of a short run is estimated from its steps. 25 ms is about one
// rotation of the kernel over six groups (4 ms each by default); 20000 rows are 1 MB, or 15 s of four threads.
enum { COUNTER_SETS_FIRST_MS = 25, COUNTER_SETS_FIRST_ROWS = 20000 };

// A recorder that is this late gets too little CPU time: timers of the kernel read the counters instead.
enum { COUNTER_SETS_LATE_STEPS = 4 };

// Timers of a thread that waits are silent, and those of one that works in the kernel where that is not counted: the
// recorder reads such a thread this often.
static const uint64_t COUNTER_SETS_TIMED_NS = 1000 * (uint64_t)CLOCK_MS;

int counter_sets_open(struct counter_sets *sets, const struct run_options *options, bool is_emulated, bool is_paused)
{
    sets->interval_ns = options->interval_ms * CLOCK_MS;
    atomic_store(&sets->counters.paused, is_paused);
    if (options->no_counters) {
        sets->counters.error = -ECANCELED;
        return 0;
    }
    sets->counters.exclude_kernel = !options->kernel;
    sets->counters.emulated = is_emulated;
    sets->counters.all_asked_for = options->events != NULL;
    const char *topics = options->events ? options->events : event_plan_usual(sets->topology);
    if (!event_plan_knows_topics(topics))
        return -EINVAL;
    verification_open(&sets->verification, sets->topology, &sets->counters);
    int status = counters_prepare(&sets->counters, sets->topology, topics, COUNTER_SETS_FIRST_EVENT);
    sets->counters.with_timers &= options->interval_ms >= COUNTER_SETS_FIRST_MS; // timers tell no oftener
    sets->usable = sets->counters.usable > 0;
    return status == -EINVAL ? status : 0;
}

// --- samples

// Step of the time line, in ns, now.
static uint64_t counter_sets_step(const struct counter_sets *sets)
{
    const bool is_first = sets->interval_ns == RUN_OPTIONS_INTERVAL_MS * CLOCK_MS &&
                          sets->counters.rows < COUNTER_SETS_FIRST_ROWS;
    return is_first ? COUNTER_SETS_FIRST_MS * (uint64_t)CLOCK_MS : sets->interval_ns;
}

static void counter_sets_record(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    (void)time;
    struct counter_set *set = (struct counter_set *)stream; // the stream is its first member
    struct counter_sets *sets = stream->owner;
    struct perf_sample sample;
    if (losses_handle(sets->losses, header) || header->type != PERF_RECORD_SAMPLE)
        return;
    if (counters_is_timers(set, header)) {
        sets->losses->malformed += !counters_take_timer(set, header, counter_sets_step(sets));
        return;
    }
    const struct thread *thread = NULL;
    if (perf_record_sample(header, &set->stream.layout, &sample) < 0)
        sets->losses->malformed++;
    else if (!(thread = tasks_thread(sets->tasks, (pid_t)sample.tid)))
        sets->losses->unknown_threads += !set->of_cpu;
    else
        counters_take(set, &sample, thread, stack_walk_sample(sets->walk, thread->process, &sample));
}

static void counter_sets_close_set(struct perf_stream *stream)
{
    counters_close((struct counter_set *)stream);
}

static void counter_sets_add_stream(struct counter_sets *sets, struct counter_set *set)
{
    set->stream.handle = counter_sets_record;
    set->stream.close = counter_sets_close_set;
    set->stream.owner = sets;
    if (!set->stream.ring.control || perf_streams_add(sets->streams, &set->stream) == 0)
        return;
    perf_ring_unmap(&set->stream.ring); // its counts are still read
    sets->losses->rings++;
}

// --- sets

// Windows leave time out on purpose. Of a thread that was found late, time in them is at most the length of them all.
static void counter_sets_record_uncounted(const struct counter_sets *sets, const struct thread *thread,
                                          int64_t time_before)
{
    const uint64_t on_ns = sets->on_ns + (sets->is_on ? clock_now() - sets->on_since : 0);
    uint64_t uncounted = (uint64_t)time_before;
    if (time_before < 0)
        return;
    uncounted = uncounted > thread->cpu_ns_before ? uncounted - thread->cpu_ns_before : 0;
    RECORD(sets->tasks->queue, RECORDING_THREAD_COUNTED, RECORD_NUMBER(thread->id),
           RECORD_NUMBER(uncounted < on_ns ? uncounted : on_ns));
}

void counter_sets_give(struct counter_sets *sets, struct thread *thread, struct counter_set *set, int64_t time_before)
{
    if (thread->counters) {
        counters_close(set); // the thread was found in two ways
        return;
    }
    counter_sets_record_uncounted(sets, thread, time_before);
    set->thread = thread->id;
    thread->counters = set;
    counter_sets_add_stream(sets, set);
}

// Opens counters of the thread. True if they were opened.
bool counter_sets_count(struct counter_sets *sets, struct thread *thread)
{
    if (!sets->usable || thread->counters || thread->counters_refused || sets->counts_cpus)
        return false;
    struct counter_set *set = counters_open(&sets->counters, thread->tid, -1, (struct counters_how){0});
    thread->counters_refused = !set;
    if (set)
        counter_sets_give(sets, thread, set, counters_time_before(set));
    return set;
}

static void counter_sets_keep_cpu(struct counter_sets *sets, struct counter_set *set)
{
    sets->of_cpus[sets->of_cpus_count++] = set;
    counter_sets_add_stream(sets, set);
}

// Counts each class on all CPUs or on none: counts of some CPUs would have no population.
static void counter_sets_open_cpus(struct counter_sets *sets, int task, struct counters_how how)
{
    const size_t before = sets->of_cpus_count, all = sets->topology->cpu_count * counters_files(&sets->counters, false);
    struct counter_set *set = NULL;
    how.first_only = sets->counters.files_for_all > 0 && all > sets->counters.files_for_all;
    for (size_t i = 0; sets->of_cpus && i < sets->topology->cpu_count; i++) {
        const struct topology_cpu *cpu = &sets->topology->cpus[i];
        if (!cpu->online || !(cpu->allowed || how.of_cgroup))
            continue;
        set = counters_open(&sets->counters, task, cpu->id, how);
        if (!set)
            break;
        sets->of_cpus[sets->of_cpus_count++] = set;
    }
    while (!set && sets->of_cpus_count > before)
        counters_close(sets->of_cpus[--sets->of_cpus_count]);
    for (size_t i = before; i < sets->of_cpus_count; i++)
        counter_sets_add_stream(sets, sets->of_cpus[i]);
    sets->counts_cpus = sets->of_cpus_count > before;
}

// Opens sampled loads of whole CPUs, if loads cannot be sampled by thread.
static void counter_sets_open_cpu_loads(struct counter_sets *sets)
{
    if (!counters_samples_cpus(&sets->counters))
        return;
    int missing = 0, error = 0;
    for (size_t i = 0; sets->of_cpus && i < sets->topology->cpu_count; i++) {
        const struct topology_cpu *cpu = &sets->topology->cpus[i];
        if (!cpu->online || !cpu->allowed)
            continue;
        int refused;
        struct counter_set *set = counters_open_cpu(&sets->counters, cpu->id, &refused);
        if (set) {
            counter_sets_keep_cpu(sets, set);
        } else {
            missing++;
            error = refused;
        }
    }
    if (missing == 0)
        return;
    const struct perf_reason *reason = refusals_explain(sets->refusals, error);
    note_write(sets->tasks, "refused", missing, reason->remedy, "loads of %d CPUs are not sampled: %s", missing,
               reason->cause);
}

bool counter_sets_begin(struct counter_sets *sets)
{
    sets->counters.queue = sets->tasks->queue;
    sets->counters.tasks = sets->tasks;
    sets->counters.samples = sets->samples;
    sets->counters.loads = &sets->loads;
    sets->loads.tasks = sets->tasks;
    sets->loads.samples = sets->samples;
    sets->loads.objects = sets->objects;
    sets->loads.topology = sets->topology;
    sets->read_at = sets->on_since = sets->tasks->epoch;
    sets->is_on = !atomic_load(&sets->counters.paused);
    if (!sets->usable)
        return false;
    counters_write_events(&sets->counters);
    sets->of_cpus = calloc(2 * sets->topology->cpu_count, sizeof(struct counter_set *)); // counters and sampled loads
    counter_sets_open_cpu_loads(sets);
    return true;
}

// Half of the files are for threads with all groups: a thread with the first class only needs about a quarter as many.
static void counter_sets_share_files(struct counter_sets *sets)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY)
        sets->counters.files_for_all = files.rlim_cur / 2;
}

void counter_sets_attach(struct counter_sets *sets, pid_t pid, bool registers)
{
    counter_sets_share_files(sets);
    if (!counter_sets_begin(sets))
        return;
    if (!registers) {
        counter_sets_open_cpus(sets, pid, (struct counters_how){.on_exec = true, .inherit = true});
        return;
    }
    struct thread *main_thread = tasks_thread(sets->tasks, pid);
    struct counter_set *set = counters_open(&sets->counters, pid, -1, (struct counters_how){.on_exec = true});
    if (main_thread && set)
        counter_sets_give(sets, main_thread, set, 0);
}

bool counter_sets_can_count_cgroup(const struct counter_sets *sets, const char *path)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .disabled = 1};
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = -1;
    for (size_t i = 0; folder >= 0 && fd < 0 && i < sets->topology->cpu_count; i++)
        if (sets->topology->cpus[i].online)
            fd = perf_event_open_cgroup(&attr, folder, sets->topology->cpus[i].id, -1);
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return fd >= 0;
}

void counter_sets_count_cgroup(struct counter_sets *sets, const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    counter_sets_open_cpus(sets, folder, (struct counters_how){.of_cgroup = true});
    sets->counts_cgroup = sets->counts_cpus;
    close(folder); // the events hold the group
}

static void counter_sets_read_thread(struct thread *thread, uint64_t time)
{
    struct counter_set *set = thread->counters;
    int planned_cpu = thread->pin == CHANNEL_PIN_PLANNED ? thread->planned_cpu : -1;
    counters_read(set, planned_cpu, time);
    thread->cpu_ns = set->clock_ns;
    thread->migrations = set->migrations - thread->migrations_before;
    thread->knows_cpu_ns = thread->knows_migrations = true;
    thread->cpu_ns_at = clock_now();
}

// Migrations before the thread was pinned do not count.
void counter_sets_forget_migrations(struct thread *thread)
{
    if (!thread->counters)
        return;
    counter_sets_read_thread(thread, clock_now());
    thread->migrations_before = thread->counters->migrations;
}

void counter_sets_end(struct counter_sets *sets, struct thread *thread, uint64_t time)
{
    if (!thread->counters)
        return;
    counter_sets_read_thread(thread, time);
    perf_streams_end(sets->streams, &thread->counters->stream);
    thread->counters = NULL;
}

void counter_sets_close(struct counter_sets *sets)
{
    for (size_t i = 0; i < sets->of_cpus_count; i++)
        counters_close(sets->of_cpus[i]);
    free(sets->of_cpus);
    sets->of_cpus_count = 0;
    counters_free(&sets->counters);
}

// --- time line

// Whether a timer of the set wrote a record lately, or left one that was not taken yet.
static bool counter_sets_is_timed(const struct counter_set *set, uint64_t now, uint64_t timed_ns)
{
    return set->timer_fd >= 0 && set->stream.ring.control &&
           (now < set->timed_at + timed_ns || perf_ring_has_more(&set->stream.ring));
}

// Reads all sets, except those whose timers wrote a record within timed_ns. timed_ns 0: without exception.
static void counter_sets_read_all(struct counter_sets *sets, uint64_t now, uint64_t timed_ns)
{
    uint64_t tid, value;
    for (size_t at = 0; table_next(&sets->tasks->threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (!thread->counters)
            continue;
        if (!timed_ns || !counter_sets_is_timed(thread->counters, now, timed_ns))
            counter_sets_read_thread(thread, now);
        if (sets->is_late && sets->counters.with_timers && thread->counters->may_have_timers)
            counters_add_timers(thread->counters);
        counters_adapt(thread->counters);
    }
    for (size_t i = 0; i < sets->of_cpus_count; i++) {
        counters_read(sets->of_cpus[i], -1, now);
        counters_adapt(sets->of_cpus[i]);
    }
}

static void counter_sets_read_some(struct counter_sets *sets, uint64_t now, uint64_t timed_ns)
{
    if (!sets->usable)
        return;
    counter_sets_read_all(sets, now, timed_ns);
    sets->read_at = now;
    if (sets->counters.rows - sets->rows_at_widening > COUNTER_SETS_ROWS) {
        sets->interval_ns *= 2;
        sets->rows_at_widening = sets->counters.rows;
        note_write(sets->tasks, "interval", (int64_t)(sets->interval_ns / CLOCK_MS), NULL,
                     "from here on, the step of the time line is %llu ms",
                     (unsigned long long)(sets->interval_ns / CLOCK_MS));
    }
}

void counter_sets_read(struct counter_sets *sets, uint64_t now)
{
    counter_sets_read_some(sets, now, 0);
}

void counter_sets_tick(struct counter_sets *sets, uint64_t now)
{
    const uint64_t step = counter_sets_step(sets), waited = now - sets->read_at;
    sets->is_late |= sets->counters.rows > 0 && waited > COUNTER_SETS_LATE_STEPS * step;
    if (waited >= step)
        counter_sets_read_some(sets, now, COUNTER_SETS_TIMED_NS);
}

void counter_sets_switch(struct counter_sets *sets, bool on)
{
    uint64_t tid, value;
    atomic_store(&sets->counters.paused, !on);
    const uint64_t now = clock_now();
    sets->on_ns += sets->is_on ? now - sets->on_since : 0;
    sets->on_since = now;
    sets->is_on = on;
    for (size_t at = 0; table_next(&sets->tasks->threads, &at, &tid, &value);) {
        const struct thread *thread = (const struct thread *)(uintptr_t)value;
        if (thread->counters)
            counters_switch(thread->counters, on);
    }
    for (size_t i = 0; i < sets->of_cpus_count; i++)
        counters_switch(sets->of_cpus[i], on);
}
