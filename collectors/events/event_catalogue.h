// SPDX-License-Identifier: Apache-2.0
// The event catalogue: which encodings count which class of access by where it was answered, for each CPU model.
// The data is collectors/events/cpus/*.txt, carried inside the program; docs/events.md holds its words, and
// docs/dev/adding-a-cpu.md its form. Everything stays text here, as the data has it: a new word needs no new code.
#ifndef COLLECTORS_EVENTS_EVENT_CATALOGUE_H
#define COLLECTORS_EVENTS_EVENT_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/cpu_identity.h"

enum {
    EVENT_CATALOGUE_CPUS = 64, // a record names its CPUs by a bit each
    EVENT_CATALOGUE_ENTRIES = 1024,
    EVENT_CATALOGUE_NOTES = 256,
    EVENT_CATALOGUE_ANSWERS = 256,
    EVENT_CATALOGUE_OTHER_NAMES = 4,
    EVENT_CATALOGUE_IDS = 2
};

// One line "id": a CPU is this one if all of it matches; NULL matches all. Rows for any model are the fallback, and
// come last. Ranges are "0x10-0x1f,0x60".
struct event_cpu_id {
    const char *vendor, *family, *models, *steppings;
};

// How loads are sampled with their address.
struct event_sampling {
    const char *method;   // load-latency, ibs-op, spe, marked, none
    // 0: the method's own PMU, not an event of the core's; of load-latency: the kernel names the event.
    uint64_t config;
    uint64_t leader;      // event that must lead the group; 0: none
    const char *counters; // that can hold it: all, 3, 0-3
    const char *decode;   // what tells the source: mem_lvl, mem_lvl_num, kernel, ibs, spe
    const char *text;
};

struct event_cpu {
    const char *name; // as in run.uarch of a recording
    const char *other_names[EVENT_CATALOGUE_OTHER_NAMES];
    const char *title;
    struct event_cpu_id ids[EVENT_CATALOGUE_IDS];
    const char *libpfm; // libpfm4's name of its table; NULL: none in the version the catalogue was checked against
    const char *pmu;    // PMU below /sys/bus/event_source/devices whose type the events need; NULL: PERF_TYPE_RAW
    bool node_wide;     // its events count all cores of a node: not per thread, and only with privilege
    int counters;       // general ones, with hyperthreads
    int counters_alone; // and with hyperthreads off
    int offcore_registers;        // events with different config1 that can count at once; 0: config1 is not used
    bool offcore_shared;          // between the hyperthreads of a core
    const char *offcore_counters; // that can hold such an event: all, 0-3
    uint64_t offcore_mask;        // bits of config1 that the kernel accepts
    bool watchdog_takes_one;      // the NMI watchdog uses a general counter
    const char *clusters;         // what local means where a socket is split: never, node, socket, snc, unknown
    const char *clusters_text;
    struct event_sampling sampling;
};

struct event_entry {
    uint64_t cpus; // bits: index into catalogue.cpus
    const char *class, *placement;
    const char *variant; // NULL: the one used; "snc": used where a socket is split into clusters; else an alternative
    uint64_t config, config1;
    const char *sources; // of the numbers, "pfm,json"; or "derived", "assumed", "unverified", "conflict"
    const char *notes;   // keys of notes, "a,b"; NULL: none
    const char *name;    // libpfm4's without the table, or "json:" and the vendor's; NULL: none
};

struct event_note {
    uint64_t cpus;
    const char *key, *text;
};

// What a CPU can say to one question: from which class, and which placements count together.
struct event_answer {
    uint64_t cpus;
    const char *topic;  // demand_rd, demand_rfo, prefetch, any, caches, retired, nodes
    const char *status; // full, partial, merged, none
    const char *class;  // NULL for none
    const char *groups; // placements: "," counted together, "/" in turn; NULL for none
    const char *text;   // what is left out or in; never NULL for none
};

struct event_catalogue {
    char *text; // all strings above point into it
    struct event_cpu cpus[EVENT_CATALOGUE_CPUS];
    struct event_entry events[EVENT_CATALOGUE_ENTRIES];
    struct event_note notes[EVENT_CATALOGUE_NOTES];
    struct event_answer answers[EVENT_CATALOGUE_ANSWERS];
    int cpu_count, event_count, note_count, answer_count;
};

// The catalogue in the program. The caller frees it.
int event_catalogue_load(struct event_catalogue **catalogue);

// The same without events, notes and answers: where there is no PMU, the CPU's name is all that is wanted.
int event_catalogue_load_cpus(struct event_catalogue **catalogue);

// Another text of the same form. -EINVAL: line *line of it (from 1) is not one; -ENOSPC: it holds more than the limits
// above.
int event_catalogue_parse(struct event_catalogue **catalogue, const char *text, int *line);
void event_catalogue_free(struct event_catalogue *catalogue);

// The CPU that an identity belongs to; NULL: not in the catalogue.
const struct event_cpu *event_catalogue_identify(const struct event_catalogue *catalogue,
                                                 const struct cpu_identity *identity);

// Is this a row for models that no row names?
bool event_catalogue_is_fallback(const struct event_cpu *cpu);

// Finds a CPU by its name, another name, or an unambiguous beginning of one; case, "-", "_" and blanks do not count.
// -ENOENT: no such CPU; -ENOTUNIQ: several begin so. Then near (size bytes) gets the names that come nearest, or "".
int event_catalogue_find(const struct event_catalogue *catalogue, const char *name, const struct event_cpu **cpu,
                         char *near, size_t size);

// Is a record with these bits one of this CPU?
bool event_catalogue_is_of(const struct event_catalogue *catalogue, uint64_t cpus, const struct event_cpu *cpu);

// The event of a CPU, or NULL.
const struct event_entry *event_catalogue_entry(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                                const char *class, const char *placement, const char *variant);
const struct event_answer *event_catalogue_answer(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                                                  const char *topic);

// Does it count retired loads? They leave prefetches out.
bool event_catalogue_is_retired(const struct event_entry *event);

// Answers of a slow tier: memory behind CXL and OpenCAPI, persistent memory.
bool event_catalogue_is_slow(const struct event_entry *event);

// What the number of an event includes or misses: the texts of its notes, joined; "" nothing. Returns out.
char *event_catalogue_remark(const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                             const struct event_entry *event, char *out, size_t size);

// two (independent sources), one, derived (a legal sum of confirmed bits that nobody publishes), assumed (opened; what
// a relative has, to be confirmed by numaprof verify), unverified, conflict.
const char *event_catalogue_confidence(const struct event_entry *event);

#endif
