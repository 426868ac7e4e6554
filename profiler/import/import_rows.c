// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/system/clock.h"
#include "core/text/json.h"
#include "profiler/import/import_modules.h"
#include "profiler/recorder/run/note.h"
#include "recording_codes.h"
#include "version.h"

// --- the run

static const char *import_rows_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Index of the program in perf's command line: after "--", or the word that names it. command_count: not there.
static size_t import_rows_program_at(const struct perf_features *features, const char *exe)
{
    for (size_t i = 1; i < features->command_count; i++)
        if (strcmp(features->command[i], "--") == 0)
            return i + 1;
    for (size_t i = 1; exe && i < features->command_count; i++)
        if (strcmp(import_rows_last_part(features->command[i]), import_rows_last_part(exe)) == 0)
            return i;
    return features->command_count;
}

static char *import_rows_program(const struct perf_features *features, const char *exe)
{
    const size_t at = import_rows_program_at(features, exe);
    if (at < features->command_count)
        return json_words(features->command + at, features->command_count - at);
    return exe ? json_words(&exe, 1) : json_words(features->command, features->command_count);
}

// From the wall clock in the file; else from the file's modification time, which is the end of the run.
static void import_rows_started_at(const struct import *import, uint64_t wall_ns, char *out, size_t size)
{
    const struct perf_features *features = &import->file.features;
    struct stat status;
    struct tm utc;
    char seconds[32];
    uint64_t ns = features->wall_ns + (import->tasks.epoch - features->wall_time);
    if (features->wall_ns == 0) {
        const time_t changed = stat(import->request->input, &status) == 0 ? status.st_mtime : time(NULL);
        const time_t end = features->captured > 0 ? features->captured : changed;
        ns = (uint64_t)end * CLOCK_S;
        ns -= wall_ns < ns ? wall_ns : 0;
    }
    ns = ns > INT64_MAX ? 0 : ns; // the file contradicts itself
    const time_t then = (time_t)(ns / CLOCK_S);
    if (!gmtime_r(&then, &utc))
        memset(&utc, 0, sizeof utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out, size, "%s.%03dZ", seconds, (int)(ns / CLOCK_MS % 1000));
}

static const char *import_rows_uarch(const struct import *import)
{
    const struct event_cpu *cpu =
        import->catalogue ? event_catalogue_identify(import->catalogue, &import->machine.topology.cpu) : NULL;
    return cpu ? cpu->name : NULL;
}

// Of counts, what perf stat -I says: 0 for one total of each.
static int64_t import_rows_interval(const struct import *import)
{
    enum { STEP_MS = 100 };
    const uint64_t counted_ms = import->counts.interval_ms;
    if (import->counts.rows == 0)
        return STEP_MS * CLOCK_MS;
    return counted_ms > INT64_MAX / CLOCK_MS ? 0 : (int64_t)(counted_ms * CLOCK_MS);
}

static void import_rows_write_run(const struct import *import)
{
    const struct perf_features *features = &import->file.features;
    const struct cpu_identity *cpu = &import->machine.topology.cpu;
    const struct import_program main = import_tasks_main(&import->known);
    const uint64_t sampled_ns = (uint64_t)tasks_time(&import->tasks, import->reader.latest);
    const uint64_t wall_ns = import->counts.time > sampled_ns ? import->counts.time : sampled_ns;
    char started[48], *command = import_rows_program(features, main.exe);
    import_rows_started_at(import, wall_ns, started, sizeof started);
    struct recording_run row = RECORDING_RUN_NULL;
    row.id = RECORD_NUMBER(1);
    row.command = RECORD_TEXT(command ? command : "[]");
    row.program = RECORD_TEXT(main.exe);
    row.pid = main.samples > 0 ? RECORD_NUMBER(main.pid) : RECORD_NULL;
    row.started_at = RECORD_TEXT(started);
    row.wall_ns = RECORD_NUMBER(wall_ns);
    row.complete = RECORD_NUMBER(0);
    row.host = RECORD_TEXT(features->host);
    row.kernel = RECORD_TEXT(features->kernel);
    row.arch = RECORD_TEXT(features->arch);
    if (*cpu->vendor) {
        row.cpu_vendor = RECORD_TEXT(cpu->vendor);
        row.cpu_family = RECORD_KNOWN(cpu->family);
        row.cpu_model = RECORD_KNOWN(cpu->model);
        row.cpu_stepping = RECORD_KNOWN(cpu->stepping);
    }
    row.cpu_name = RECORD_TEXT(features->cpu_name);
    row.uarch = RECORD_TEXT(import_rows_uarch(import));
    row.tool_version = RECORD_TEXT(NUMAPROF_VERSION);
    row.page_bytes = RECORD_NUMBER(import_machine_page_bytes(features, import->known.whole_pages));
    row.pin_policy = RECORD_TEXT("none");
    row.interval_ns = RECORD_NUMBER(import_rows_interval(import));
    row.repeat = RECORD_NUMBER(1);
    recording_queue_put(import->tasks.queue, RECORDING_RUN, sizeof row / sizeof(struct recording_value),
                        (const struct recording_value *)&row);
    free(command);
}

// --- what the file has

struct import_rows_part {
    const char *part;
    uint64_t there, of;          // of what could have it
    const char *without;         // what does not follow then
};

static void import_rows_write_part(const struct import *import, size_t id, const struct import_rows_part *part)
{
    RECORD(import->tasks.queue, RECORDING_IMPORTED_PART, RECORD_NUMBER(id), RECORD_TEXT(part->part),
           RECORD_NUMBER((int64_t)part->there), RECORD_NUMBER((int64_t)part->of), RECORD_TEXT(part->without));
}

// Of a file of perf stat.
static void import_rows_write_counted_parts(const struct import *import)
{
    const struct import_counts *counts = &import->counts;
    const uint64_t all = counts->rows;
    const struct import_rows_part parts[] = {
        {"counters", all, all, NULL},
        {"time slices of the counts", counts->interval_ms > 0 ? counts->rounds : 0, counts->rounds,
         "scaled counts have no known error"},
        {"counts of one program", counts->of_all ? 0 : all, all, "all programs on these CPUs are in them"},
        {"counts by thread", counts->threads, all,
         counts->of_all ? NULL : "which thread reads remote memory is unknown"},
        {"counts by CPU", counts->cpus, all, NULL},
        {"nodes of the machine", import->machine.topology.node_count, all, "which CPU is near which memory is unknown"},
        {"samples", import->reader.taken, all, "which data and which line is unknown"},
        {"pinning", 0, all, NULL},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        import_rows_write_part(import, i + 1, &parts[i]);
}

static void import_rows_write_parts(const struct import *import)
{
    const struct import_samples *reader = &import->reader;
    const uint64_t all = reader->taken, accesses = all - reader->faults - reader->overflows;
    const struct import_rows_part parts[] = {
        {"sampled accesses with address", accesses, all, "who reads which data is unknown"},
        {"data source", reader->with_source, accesses, "whether memory or a cache answered is unknown"},
        {"latency", reader->with_latency, accesses, NULL},
        {"CPU of the sample", reader->with_cpu, all, "who accessed from where is unknown"},
        {"nodes of the machine", import->machine.topology.node_count, all, "which CPU is near which memory is unknown"},
        {"node of the page", reader->with_node, accesses,
         "where the data is, is known only as far as the data source tells"},
        {"page faults", reader->faults, all, NULL},
        {"call stacks", reader->with_stack, all, "no line can be named"},
        {"mappings of data", import->known.data_mappings, all, "data have no names"},
        {"first touches", import->page_faults.first_touches, all, NULL},
        {"allocations", 0, all, NULL},
        {"counters", 0, all, NULL},
        {"pinning", 0, all, NULL},
    };
    if (reader->overflows > 0)
        RECORD(import->tasks.queue, RECORDING_IMPORTED_PART, RECORD_NUMBER(sizeof parts / sizeof *parts + 1),
               RECORD_TEXT("overflow samples of remote requests"), RECORD_NUMBER(reader->overflows),
               RECORD_NUMBER(reader->taken), RECORD_NULL);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        import_rows_write_part(import, i + 1, &parts[i]);
}

static void import_rows_write_imported(const struct import *import)
{
    const struct perf_features *features = &import->file.features;
    char *command = json_words(features->command, features->command_count);
    RECORD(import->tasks.queue, RECORDING_IMPORTED, RECORD_NUMBER(1), RECORD_TEXT("perf"), RECORD_TEXT(features->perf),
           features->command_count > 0 ? RECORD_TEXT(command) : RECORD_NULL,
           RECORD_TEXT(import->file.is_text ? "text" : import->file.is_pipe ? "pipe" : "file"),
           RECORD_NUMBER(import->file.is_cut));
    free(command);
}

static void import_rows_write_evidence(const struct import *import)
{
    const struct note_missing none = {.why = "not in what perf recorded"};
    const struct import_samples *reader = &import->reader;
    note_evidence(&import->tasks, 1, "counters", import->counts.rows > 0, "perf stat", none);
    note_evidence(&import->tasks, 3, "samples", reader->taken > reader->faults, "sampled by perf", none);
    note_evidence(&import->tasks, 4, "faults", reader->faults > 0, "sampled by perf", none);
    note_evidence(&import->tasks, 5, "pages", false, NULL, none);
}

// --- what qualifies its numbers

static void import_rows_note(const struct import *import, const char *kind, uint64_t count, const char *one,
                             const char *several, const char *remedy)
{
    char text[512];
    if (count == 0)
        return;
    snprintf(text, sizeof text, "%llu %s", (unsigned long long)count, count == 1 ? one : several);
    RECORD(import->tasks.queue, RECORDING_NOTE, RECORD_NULL, RECORD_TEXT(kind), RECORD_NULL, RECORD_NULL,
           RECORD_NUMBER((int64_t)count), RECORD_TEXT(text), RECORD_TEXT(remedy));
}

// The share of the page faults that is here, where all samples are page faults.
static void import_rows_note_faults(const struct import *import)
{
    const struct import_samples *reader = &import->reader;
    const uint64_t seen = reader->fault_weight;
    if (import->lost == 0 || reader->faults == 0 || reader->taken > reader->faults || reader->no_memory > 0)
        return;
    note_write(&import->tasks, "faults", (int64_t)(seen + import->lost), NULL,
               "at most %llu page faults happened, samples stand for %llu", (unsigned long long)(seen + import->lost),
               (unsigned long long)seen);
}

static void import_rows_note_counts(const struct import *import)
{
    char others[512];
    const struct import_counts *counts = &import->counts;
    const size_t unused = import_counts_others(counts, others, sizeof others);
    if (counts->rows == 0)
        return;
    if (unused > 0)
        note_write(&import->tasks, "unused_events", (int64_t)unused, NULL,
                   "events that the event catalogue does not know on this CPU, or that were counted twice, are not"
                   " used: %s",
                   others);
    if (counts->threads > 1)
        note_write(&import->tasks, "no_process", (int64_t)counts->threads, NULL,
                   "perf stat does not tell the processes of threads: all count as one%s",
                   counts->inherits ? ", and a thread's counts include the threads that it started later" : "");
}

static void import_rows_write_notes(const struct import *import)
{
    const struct import_samples *reader = &import->reader;
    import_rows_note_counts(import);
    import_rows_note(import, "lost", import->lost, "record was lost: perf's buffers were full",
                     "records were lost: perf's buffers were full", "perf record -m 16M, or a longer period");
    import_rows_note_faults(import);
    const uint64_t malformed = import->malformed + reader->malformed + import->counts.malformed;
    import_rows_note(import, "lost", malformed, "record was malformed and is not counted",
                     "records were malformed and are not counted", NULL);
    import_rows_note(import, "throttled", import->throttled, "time the kernel throttled sampling",
                     "times the kernel throttled sampling", "raise kernel.perf_event_max_sample_rate");
    import_rows_note(import, "no_period", import->text.without_period, "sample has no period and counts as one event",
                     "samples have no period and count as one event each", "perf script -F +period");
    import_rows_note(import, "no_process", import->text.without_process,
                     "sample does not tell its process: its thread counts as one",
                     "samples do not tell their process: each thread counts as one",
                     "perf script --show-task-events -F +pid");
    import_rows_note(import, "unknown_records", import->unknown, "record is of a kind that this numaprof does not know",
                     "records are of kinds that this numaprof does not know", "import with a newer numaprof");
    import_rows_note(import, "no_memory", reader->no_memory, "sample accesses no memory and is not used",
                     "samples access no memory and are not used", NULL);
    import_rows_note(import, "repeated", reader->repeated,
                     "page fault was sampled by another event too and counts once",
                     "page faults were sampled by another event too and count once",
                     NULL);
    import_rows_note(import, "kernel_addresses", reader->kernel_addresses,
                     "sample is of the kernel's own memory and is not used",
                     "samples are of the kernel's own memory and are not used", NULL);
    import_rows_note(import, "foreign", reader->foreign, "sample is of a guest or hypervisor and is not used",
                     "samples are of guests or hypervisors and are not used", NULL);
    import_rows_note(import, "unmatched", reader->unmatched, "sample is of an unknown thread and is not used",
                     "samples are of unknown threads and are not used", NULL);
    import_rows_note(import, "refused_tasks", import->known.refused, "thread or mapping had no room",
                     "threads or mappings had no room", NULL);
    import_rows_note(import, "contradicted", reader->contradicted,
                     "sampled load has a source that is not where its page is",
                     "sampled loads have a source that is not where their page is", NULL);
    import_rows_note(import, "first_touches", import->page_faults.first_touches,
                     "page fault is taken for a first touch, the only one of its page:"
                     " perf does not tell reads of untouched memory",
                     "page faults are taken for first touches, each the only one of its page:"
                     " perf does not tell reads of untouched memory",
                     NULL);
    import_rows_note(import, "huge_pages", import->page_faults.huge,
                     "first touch is counted as 2 MiB: it is the only one there, as elsewhere in its mapping",
                     "first touches are counted as 2 MiB: each is the only one there, as elsewhere in its mapping",
                     NULL);
    import_rows_note(import, "stacks", import->walk.stacks.refused, "sample has no call stack: too many different ones",
                     "samples have no call stack: too many different ones", NULL);
}

void import_rows_write_missing(struct import *import)
{
    const uint64_t stale = program_files_stale(import->walk.files), missing = program_files_missing(import->walk.files);
    import_rows_note(import, "replaced", stale, "file here is of another build than the recorded one: it is not used",
                     "files here are of other builds than the recorded ones: they are not used",
                     "--symfs DIR with the recorded files");
    import_rows_note(import, "no_build_ids", import->unproven,
                     "mapping of a file has no build id: its names come from the file here, of whatever build",
                     "mappings of files have no build id: names come from the files here, of whatever build",
                     "import the perf.data");
    import_rows_note(import, "missing_files", missing,
                     "recorded file is not here: its functions, lines and variables have no names",
                     "recorded files are not here: their functions, lines and variables have no names",
                     "import on the recorded machine, or give --symfs DIR");
}

void import_rows_write(struct import *import)
{
    struct machine machine = import->machine;
    machine.emulated = ""; // latencies that were measured are of this machine, not of that one
    import_rows_write_run(import);
    machine_write(&machine, import->tasks.queue);
    import_rows_write_imported(import);
    if (import->counts.rows > 0)
        import_rows_write_counted_parts(import);
    else
        import_rows_write_parts(import);
    import_rows_write_evidence(import);
    import_rows_write_notes(import);
}
