// SPDX-License-Identifier: Apache-2.0
// The session's side of the counters collector: which sets there are, when they are read, and the time line they make.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"
#include "profiler/recorder/session.h"

// Prefetch and demand apart, and the retired loads beside them. Cache responses would dilute all of these.
static const char counters_topics[] = "demand_rd,demand_rfo,prefetch,retired";
enum { COUNTERS_FIRST_EVENT = 2 }; // 1 is the page-faults event

// How many rows the time line may have before its interval doubles: about 20 MB.
enum { COUNTERS_ROWS = 500000 };

int session_prepare_counters(struct session *session)
{
    session->counting = !session->options->paused && session->options->delay_ms == 0;
    session->interval_ns = session->options->interval_ms * CLOCK_MS;
    atomic_store(&session->counters.paused, !session->counting);
    if (session->options->no_counters) {
        session->counters.error = -ECANCELED;
        return 0;
    }
    session->counters.exclude_kernel = !session->options->kernel;
    session->counters.emulated = session->emulated != NULL;
    const char *topics = session->options->events ? session->options->events : counters_topics;
    if (!event_plan_knows_topics(topics))
        return -EINVAL;
    int status = counters_prepare(&session->counters, &session->topology, topics, COUNTERS_FIRST_EVENT);
    session->counters_on = session->counters.usable > 0;
    session->uarch = session->counters.cpu ? session->counters.cpu->name : NULL;
    return status == -EINVAL ? status : 0;
}

// --- samples

static void counters_record(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    (void)time;
    struct counter_set *set = (struct counter_set *)stream; // the stream is its first member
    struct session *session = stream->owner;
    struct perf_sample sample;
    uint64_t lost = 0;
    if (header->type == PERF_RECORD_LOST || header->type == PERF_RECORD_LOST_SAMPLES) {
        perf_record_lost(header, &lost);
        session->losses.samples += lost;
    }
    session->losses.throttled += header->type == PERF_RECORD_THROTTLE;
    if (header->type != PERF_RECORD_SAMPLE)
        return;
    const struct thread *thread = NULL;
    if (perf_record_sample(header, &set->stream.layout, &sample) < 0)
        session->losses.malformed++;
    else if (!(thread = tasks_thread(&session->tasks, (pid_t)sample.tid)))
        session->losses.unknown_threads += !set->of_cpu;
    else
        counters_take(set, &sample, thread, session_stack(session, thread->process, &sample));
}

static void counters_add_stream(struct session *session, struct counter_set *set)
{
    if (!set->stream.ring.control)
        return;
    set->stream.handle = counters_record;
    set->stream.owner = session;
    session_add_stream(session, &set->stream);
}

// --- sets

void session_attach_counters(struct session *session, struct thread *thread, struct counter_set *set)
{
    if (thread->counters) {
        counters_close(set); // it was found in two ways
        return;
    }
    set->thread = thread->id;
    thread->counters = set;
    counters_add_stream(session, set);
}

// Whether it is counted from now on.
bool session_count_thread(struct session *session, struct thread *thread)
{
    if (!session->counters_on || thread->counters || thread->counters_refused || session->counts_cpus)
        return false;
    struct counter_set *set = counters_open(&session->counters, thread->tid, -1, (struct counters_how){0});
    thread->counters_refused = !set;
    if (set)
        session_attach_counters(session, thread, set);
    return set;
}

static void counters_keep_cpu(struct session *session, struct counter_set *set)
{
    session->cpu_sets[session->cpu_set_count++] = set;
    counters_add_stream(session, set);
}

static void counters_open_cpus(struct session *session)
{
    for (size_t i = 0; session->cpu_sets && i < session->topology.cpu_count; i++) {
        const struct topology_cpu *cpu = &session->topology.cpus[i];
        if (!cpu->online || !cpu->allowed)
            continue;
        struct counter_set *set = counters_open(&session->counters, session->pid, cpu->id,
                                                (struct counters_how){.on_exec = true, .inherit = true});
        if (!set)
            break;
        counters_keep_cpu(session, set);
        session->counts_cpus = true;
    }
}

// Beside all others, where loads can be sampled by CPU only.
static void counters_open_cpu_loads(struct session *session)
{
    if (!counters_samples_cpus(&session->counters))
        return;
    int missing = 0, error = 0;
    for (size_t i = 0; session->cpu_sets && i < session->topology.cpu_count; i++) {
        const struct topology_cpu *cpu = &session->topology.cpus[i];
        if (!cpu->online || !cpu->allowed)
            continue;
        int refused;
        struct counter_set *set = counters_open_cpu(&session->counters, cpu->id, &refused);
        if (set) {
            counters_keep_cpu(session, set);
        } else {
            missing++;
            error = refused;
        }
    }
    if (missing == 0)
        return;
    const struct perf_reason *reason = session_explain(session, error);
    session_note(session, "refused", missing, reason->remedy, "loads of %d CPUs are not sampled: %s", missing, reason->cause);
}

// The target, before it runs: its threads will report one by one if our library can be loaded into it.
void session_open_counters(struct session *session)
{
    session->counters.queue = session->queue;
    session->counters.tasks = &session->tasks;
    session->counters.samples = &session->samples;
    session->counters.loads = &session->loads;
    session->loads.tasks = &session->tasks;
    session->loads.samples = &session->samples;
    session->loads.objects = &session->objects;
    session->loads.topology = &session->topology;
    session->read_at = session->epoch;
    if (!session->counters_on)
        return;
    counters_write_events(&session->counters);
    session->cpu_sets = calloc(2 * session->topology.cpu_count, sizeof(struct counter_set *)); // of both kinds
    counters_open_cpu_loads(session);
    if (session->target->kind != ELF_KIND_GLIBC || !session->has_channel) {
        counters_open_cpus(session);
        return;
    }
    struct thread *main_thread = tasks_thread(&session->tasks, session->pid);
    struct counter_set *set =
        counters_open(&session->counters, session->pid, -1, (struct counters_how){.on_exec = true});
    if (main_thread && set)
        session_attach_counters(session, main_thread, set);
}

static void counters_read_thread(struct thread *thread, uint64_t time)
{
    struct counter_set *set = thread->counters;
    int planned_cpu = thread->pin == CHANNEL_PIN_PLANNED ? thread->planned_cpu : -1;
    counters_read(set, planned_cpu, time);
    thread->cpu_ns = set->clock_ns;
    thread->migrations = set->migrations - thread->migrations_before;
    thread->knows_cpu_ns = thread->knows_migrations = true;
}

// What it moved before it was pinned does not make it a strayed thread.
void session_forget_migrations(struct thread *thread)
{
    if (!thread->counters)
        return;
    counters_read_thread(thread, clock_now());
    thread->migrations_before = thread->counters->migrations;
}

void session_end_counters(struct session *session, struct thread *thread, uint64_t time)
{
    if (!thread->counters)
        return;
    counters_read_thread(thread, time);
    if (session->closing_count == session->closing_size) {
        size_t size = session->closing_size ? session->closing_size * 2 : 64;
        struct counter_set **closing = realloc(session->closing, size * sizeof(struct counter_set *));
        if (!closing)
            return; // stays open; what it counted is written
        session->closing = closing;
        session->closing_size = size;
    }
    session->closing[session->closing_count++] = thread->counters;
    thread->counters = NULL;
}

// Not during a drain, which walks the streams.
void session_close_ended(struct session *session)
{
    for (size_t i = 0; i < session->closing_count; i++) {
        session_remove_stream(session, &session->closing[i]->stream);
        counters_close(session->closing[i]);
    }
    session->closing_count = 0;
}

void session_close_counters(struct session *session)
{
    session_close_ended(session);
    for (size_t i = 0; i < session->cpu_set_count; i++)
        counters_close(session->cpu_sets[i]);
    free(session->cpu_sets);
    free(session->closing);
    session->cpu_set_count = 0;
    counters_free(&session->counters);
}

// --- time line

static void counters_read_all(struct session *session, uint64_t now)
{
    uint64_t tid, value;
    for (size_t at = 0; table_next(&session->tasks.threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (!thread->counters)
            continue;
        counters_read_thread(thread, now);
        counters_adapt(thread->counters);
    }
    for (size_t i = 0; i < session->cpu_set_count; i++) {
        counters_read(session->cpu_sets[i], -1, now);
        counters_adapt(session->cpu_sets[i]);
    }
}

void session_read_counters(struct session *session, uint64_t now)
{
    if (!session->counters_on)
        return;
    counters_read_all(session, now);
    session->read_at = now;
    if (session->counters.rows - session->rows_at_widening > COUNTERS_ROWS) {
        session->interval_ns *= 2;
        session->rows_at_widening = session->counters.rows;
        session_note(session, "interval", (int64_t)(session->interval_ns / CLOCK_MS), NULL,
                     "from here on the time line has a step of %llu ms",
                     (unsigned long long)(session->interval_ns / CLOCK_MS));
    }
}

// --- windows

void session_switch(struct session *session, bool on, const char *cause)
{
    if (session->counting == on)
        return;
    uint64_t now = clock_now(), tid, value;
    session->counting = on;
    atomic_store(&session->counters.paused, !on);
    for (size_t at = 0; table_next(&session->tasks.threads, &at, &tid, &value);) {
        const struct thread *thread = (const struct thread *)(uintptr_t)value;
        if (thread->counters)
            counters_switch(thread->counters, on);
    }
    for (size_t i = 0; i < session->cpu_set_count; i++)
        counters_switch(session->cpu_sets[i], on);
    if (on)
        RECORD(session->queue, RECORDING_WINDOW, RECORD_NUMBER(tasks_time(&session->tasks, now)), RECORD_NULL,
               RECORD_TEXT(cause));
    else
        RECORD(session->queue, RECORDING_WINDOW_END, RECORD_NUMBER(tasks_time(&session->tasks, now)));
}
