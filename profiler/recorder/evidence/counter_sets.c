// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/counter_sets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"

// Prefetch and demand apart, and the retired loads beside them. Cache responses would dilute all of these.
static const char counter_sets_topics[] = "demand_rd,demand_rfo,prefetch,retired";
enum { COUNTER_SETS_FIRST_EVENT = 2 }; // 1 is the page-faults event

// How many rows the time line may have before its interval doubles: about 20 MB.
enum { COUNTER_SETS_ROWS = 500000 };

// The first rows come in smaller steps: the error of a short run is known from its steps only. About one rotation of the
// kernel over six groups (4 ms each by default); 1 MB of rows, 15 s of four threads.
enum { COUNTER_SETS_FIRST_MS = 25, COUNTER_SETS_FIRST_ROWS = 20000 };

int counter_sets_open(struct counter_sets *sets, const struct run_options *options, bool is_emulated, bool is_paused)
{
    sets->interval_ns = options->interval_ms * CLOCK_MS;
    sets->has_first_steps = options->interval_ms == RUN_OPTIONS_INTERVAL_MS;
    atomic_store(&sets->counters.paused, is_paused);
    if (options->no_counters) {
        sets->counters.error = -ECANCELED;
        return 0;
    }
    sets->counters.exclude_kernel = !options->kernel;
    sets->counters.emulated = is_emulated;
    sets->counters.all_asked_for = options->events != NULL;
    const char *topics = options->events ? options->events : counter_sets_topics;
    if (!event_plan_knows_topics(topics))
        return -EINVAL;
    verification_open(&sets->verification, sets->topology, &sets->counters);
    int status = counters_prepare(&sets->counters, sets->topology, topics, COUNTER_SETS_FIRST_EVENT);
    sets->usable = sets->counters.usable > 0;
    return status == -EINVAL ? status : 0;
}

// --- samples

static void counter_sets_record(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time)
{
    (void)time;
    struct counter_set *set = (struct counter_set *)stream; // the stream is its first member
    struct counter_sets *sets = stream->owner;
    struct perf_sample sample;
    if (losses_handle(sets->losses, header) || header->type != PERF_RECORD_SAMPLE)
        return;
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
    perf_ring_unmap(&set->stream.ring); // its counts are read all the same
    sets->losses->rings++;
}

// --- sets

void counter_sets_give(struct counter_sets *sets, struct thread *thread, struct counter_set *set)
{
    if (thread->counters) {
        counters_close(set); // it was found in two ways
        return;
    }
    set->thread = thread->id;
    thread->counters = set;
    counter_sets_add_stream(sets, set);
}

// Whether it is counted from now on.
bool counter_sets_count(struct counter_sets *sets, struct thread *thread)
{
    if (!sets->usable || thread->counters || thread->counters_refused || sets->counts_cpus)
        return false;
    struct counter_set *set = counters_open(&sets->counters, thread->tid, -1, (struct counters_how){0});
    thread->counters_refused = !set;
    if (set)
        counter_sets_give(sets, thread, set);
    return set;
}

static void counter_sets_keep_cpu(struct counter_sets *sets, struct counter_set *set)
{
    sets->of_cpus[sets->of_cpus_count++] = set;
    counter_sets_add_stream(sets, set);
}

static void counter_sets_open_cpus(struct counter_sets *sets, pid_t pid)
{
    for (size_t i = 0; sets->of_cpus && i < sets->topology->cpu_count; i++) {
        const struct topology_cpu *cpu = &sets->topology->cpus[i];
        if (!cpu->online || !cpu->allowed)
            continue;
        struct counter_set *set = counters_open(&sets->counters, pid, cpu->id,
                                                (struct counters_how){.on_exec = true, .inherit = true});
        if (!set)
            break;
        counter_sets_keep_cpu(sets, set);
        sets->counts_cpus = true;
    }
}

// Beside all others, where loads can be sampled by CPU only.
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
    note_write(sets->tasks, "refused", missing, reason->remedy, "loads of %d CPUs are not sampled: %s", missing, reason->cause);
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
    sets->read_at = sets->tasks->epoch;
    if (!sets->usable)
        return false;
    counters_write_events(&sets->counters);
    sets->of_cpus = calloc(2 * sets->topology->cpu_count, sizeof(struct counter_set *)); // of both kinds
    counter_sets_open_cpu_loads(sets);
    return true;
}

void counter_sets_attach(struct counter_sets *sets, pid_t pid, bool registers)
{
    if (!counter_sets_begin(sets))
        return;
    if (!registers) {
        counter_sets_open_cpus(sets, pid);
        return;
    }
    struct thread *main_thread = tasks_thread(sets->tasks, pid);
    struct counter_set *set = counters_open(&sets->counters, pid, -1, (struct counters_how){.on_exec = true});
    if (main_thread && set)
        counter_sets_give(sets, main_thread, set);
}

static void counter_sets_read_thread(struct thread *thread, uint64_t time)
{
    struct counter_set *set = thread->counters;
    int planned_cpu = thread->pin == CHANNEL_PIN_PLANNED ? thread->planned_cpu : -1;
    counters_read(set, planned_cpu, time);
    thread->cpu_ns = set->clock_ns;
    thread->migrations = set->migrations - thread->migrations_before;
    thread->knows_cpu_ns = thread->knows_migrations = true;
}

// What it moved before it was pinned does not make it a migrated thread.
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

static void counter_sets_read_all(struct counter_sets *sets, uint64_t now)
{
    uint64_t tid, value;
    for (size_t at = 0; table_next(&sets->tasks->threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (!thread->counters)
            continue;
        counter_sets_read_thread(thread, now);
        counters_adapt(thread->counters);
    }
    for (size_t i = 0; i < sets->of_cpus_count; i++) {
        counters_read(sets->of_cpus[i], -1, now);
        counters_adapt(sets->of_cpus[i]);
    }
}

void counter_sets_read(struct counter_sets *sets, uint64_t now)
{
    if (!sets->usable)
        return;
    counter_sets_read_all(sets, now);
    sets->read_at = now;
    if (sets->counters.rows - sets->rows_at_widening > COUNTER_SETS_ROWS) {
        sets->interval_ns *= 2;
        sets->rows_at_widening = sets->counters.rows;
        note_write(sets->tasks, "interval", (int64_t)(sets->interval_ns / CLOCK_MS), NULL,
                     "from here on the time line has a step of %llu ms",
                     (unsigned long long)(sets->interval_ns / CLOCK_MS));
    }
}

void counter_sets_tick(struct counter_sets *sets, uint64_t now)
{
    const bool is_first = sets->has_first_steps && sets->counters.rows < COUNTER_SETS_FIRST_ROWS;
    if (now - sets->read_at >= (is_first ? COUNTER_SETS_FIRST_MS * (uint64_t)CLOCK_MS : sets->interval_ns))
        counter_sets_read(sets, now);
}

void counter_sets_switch(struct counter_sets *sets, bool on)
{
    uint64_t tid, value;
    atomic_store(&sets->counters.paused, !on);
    for (size_t at = 0; table_next(&sets->tasks->threads, &at, &tid, &value);) {
        const struct thread *thread = (const struct thread *)(uintptr_t)value;
        if (thread->counters)
            counters_switch(thread->counters, on);
    }
    for (size_t i = 0; i < sets->of_cpus_count; i++)
        counters_switch(sets->of_cpus[i], on);
}

// --- evidence

static const char counter_sets_one_node[] = "this machine has one node: no access can be remote";

static bool counter_sets_is_assumed(const struct counters *counters, bool retired)
{
    for (int i = 0; i < counters->group_count; i++)
        if (i != counters->loads_group && counters->groups[i].error == 0 &&
            event_catalogue_is_retired(counters->groups[i].events[0].source) == retired &&
            strcmp(event_catalogue_confidence(counters->groups[i].events[0].source), "assumed") == 0)
            return true;
    return false;
}

static const char *counter_sets_detail(const struct counter_sets *sets, char *out, size_t size, bool retired)
{
    const char *kind = retired                                     ? "retired loads"
                       : sets->counters.cpu->offcore_registers > 0 ? "offcore-response"
                                                                      : "fills by source";
    char verified[128];
    const bool is_assumed = !sets->verification.is_known && counter_sets_is_assumed(&sets->counters, retired);
    snprintf(out, size, "%s%s%s%s%s", kind, sets->counts_cpus ? ", per CPU" : "",
             sets->counters.exclude_kernel ? "" : ", with the kernel",
             sets->counters.mixed_cpus ? ", on CPUs of the first CPU's model only" : "",
             is_assumed ? ", assumed for this CPU model: confirm with numaprof verify"
                        : verification_words(&sets->verification, &sets->counters, retired, verified, sizeof verified));
    return out;
}

// Why the catalogue has no event of this level; NULL: it has one, or none was asked for.
static const char *counter_sets_no_event(const struct counter_sets *sets, bool retired)
{
    const struct counters *counters = &sets->counters;
    if (counters->cpu && event_catalogue_is_fallback(counters->cpu) && sets->topology->node_count == 1)
        return counter_sets_one_node;
    for (int i = 0; i < counters->plan.answer_count; i++) {
        const struct event_plan_answer *answer = &counters->plan.answers[i];
        if ((strcmp(answer->topic, "retired") == 0) == retired && !answer->class)
            return answer->why;
    }
    return NULL;
}

static struct note_missing counter_sets_missing(struct counter_sets *sets, int error)
{
    if (error == -ECANCELED)
        return (struct note_missing){.why = "left out by --without counters"};
    if (error == -EALREADY)
        return (struct note_missing){.why = "not needed: requests are counted by class",
                                        .remedy = "--events demand_rd,retired"};
    if (error == -ENODATA && sets->topology->node_count == 1)
        return (struct note_missing){.why = counter_sets_one_node};
    if (error == -ENODATA)
        return (struct note_missing){.why = "this CPU model is not in the event catalogue",
                                        .remedy = "see docs/dev/adding-a-cpu.md"};
    if (error == 0 && sets->usable)
        return (struct note_missing){.why = "not asked for", .remedy = "--events"};
    return refusals_missing(sets->refusals, error);
}

static void counter_sets_write_level(struct counter_sets *sets, int level, bool retired)
{
    const struct counters *counters = &sets->counters;
    int usable = 0, planned = 0, error = counters->error;
    for (int i = 0; i < counters->group_count; i++) {
        if (i == counters->loads_group || event_catalogue_is_retired(counters->groups[i].events[0].source) != retired)
            continue;
        planned++;
        usable += counters->groups[i].error == 0;
        error = counters->groups[i].error;
    }
    char detail[256] = "";
    if (usable > 0)
        counter_sets_detail(sets, detail, sizeof detail, retired);
    struct note_missing missing = {0};
    if (usable == 0)
        missing = counter_sets_missing(sets, error);
    const char *no_event = counter_sets_no_event(sets, retired);
    if (planned == 0 && counters->error == 0 && no_event)
        missing = (struct note_missing){.why = no_event};
    note_evidence(sets->tasks, level, "counters", usable > 0, detail, missing);
}

static void counter_sets_write_loads(struct counter_sets *sets)
{
    const struct counters *counters = &sets->counters;
    bool used = counters->loads_group >= 0 && counters->loads_error == 0;
    char method[128] = "", verified[128];
    if (used)
        snprintf(method, sizeof method, "%s%s", counters->loads_method,
                 verification_words_of_loads(&sets->verification, verified, sizeof verified));
    int error = counters->error == -ECANCELED ? -ECANCELED : counters->loads_error;
    struct note_missing missing = counter_sets_missing(sets, error);
    if (error == -ENOTSUP && counters->cpu && strcmp(counters->cpu->sampling.method, "spe") == 0)
        missing = (struct note_missing){.why = "Arm SPE hands over raw packets, which this version does not read"};
    note_evidence(sets->tasks, 3, "samples", used, method, missing);
}

void counter_sets_write_evidence(struct counter_sets *sets)
{
    counter_sets_write_level(sets, 1, false);
    counter_sets_write_level(sets, 2, true);
    counter_sets_write_loads(sets);
    verification_write(&sets->verification, &sets->counters, sets->tasks);
}

static void counter_sets_note_refused(struct counter_sets *sets)
{
    uint64_t refused = atomic_load(&sets->counters.refused);
    if (refused == 0)
        return;
    struct note_missing reason = refusals_missing(sets->refusals, atomic_load(&sets->counters.refused_error));
    note_write(sets->tasks, "refused", (int64_t)refused, reason.remedy, "%llu %s not counted: %s",
               (unsigned long long)refused, refused == 1 ? "thread was" : "threads were", reason.why);
}

void counter_sets_finish(struct counter_sets *sets)
{
    uint64_t contradicted = sets->loads.contradicted;
    if (contradicted > 0)
        note_write(sets->tasks, "contradicted", (int64_t)contradicted, NULL,
                   "%llu of %llu sampled loads %s local or remote otherwise than the node of %s page",
                   (unsigned long long)contradicted, (unsigned long long)sets->loads.checked,
                   contradicted == 1 ? "says" : "say", contradicted == 1 ? "its" : "their");
    counter_sets_note_refused(sets);
}
