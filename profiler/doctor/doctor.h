// SPDX-License-Identifier: Apache-2.0
// numaprof doctor: one small function per question, in the table of cmd_doctor.c. Each looks at one thing, through the
// root prefix or by trying it, and says what it found; where the answer is no, why, and what changes that.
#ifndef PROFILER_DOCTOR_DOCTOR_H
#define PROFILER_DOCTOR_DOCTOR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#include "collectors/events/event_catalogue.h"
#include "collectors/perf/perf_context.h"
#include "collectors/perf/perf_explain.h"
#include "core/topology/topology.h"

enum doctor_state {
    DOCTOR_YES,
    DOCTOR_PART,                // works, but less than it could
    DOCTOR_NO,
    DOCTOR_UNKNOWN,             // cannot be told here
    DOCTOR_FACT,                // neither good nor bad
};

struct doctor_finding {
    enum doctor_state state;
    char detail[256];           // what is there
    char cause[256];            // why it is not more; "" nothing to say
    char remedy[256];           // the command or setting that changes it; "" none
};

// What the probes share. Tried once, before any of them runs.
struct doctor {
    const char *root;
    const char *output;         // folder or file of a recording
    bool live;                  // this machine: system calls may be tried
    struct perf_context perf;
    const struct topology *topology; // NULL: could not be read
    const struct event_catalogue *catalogue;
    const struct event_cpu *uarch; // NULL: not in the catalogue
    int perf_gate, move_pages_gate; // see doctor_gate.h
};

typedef void doctor_probe(const struct doctor *d, struct doctor_finding *f);

// doctor_machine.c
doctor_probe doctor_machine_cpu, doctor_machine_virtual, doctor_machine_container, doctor_machine_nodes,
    doctor_machine_balancing, doctor_machine_watchdog, doctor_machine_huge_pages;
// doctor_perf.c
doctor_probe doctor_perf_pmu, doctor_perf_hardware, doctor_perf_faults;
// doctor_locality.c
doctor_probe doctor_locality_reads, doctor_locality_retired;
// doctor_sampling.c
doctor_probe doctor_sampling_loads;
// doctor_pages.c
doctor_probe doctor_pages_homes;
// doctor_limits.c
doctor_probe doctor_limits_paranoid, doctor_limits_capabilities, doctor_limits_seccomp, doctor_limits_ptrace,
    doctor_limits_files, doctor_limits_locked;
// doctor_output.c
doctor_probe doctor_output_folder;

// Fill in a finding. doctor_refused: NO, because a system call gave this error.
void doctor_find(struct doctor_finding *f, enum doctor_state state, const char *detail_format, ...)
    __attribute__((format(printf, 3, 4)));
void doctor_cause(struct doctor_finding *f, const char *cause_format, ...) __attribute__((format(printf, 2, 3)));
void doctor_remedy(struct doctor_finding *f, const char *remedy_format, ...) __attribute__((format(printf, 2, 3)));
void doctor_refused(struct doctor_finding *f, const char *what, int error, const struct perf_reason *reason);
// NO, because there is no PMU; the PMU's own row says how to change that.
void doctor_no_pmu(struct doctor_finding *f);

// Whom an event watches, and the event that leads its group.
struct doctor_target {
    pid_t tid;
    int cpu, group;
};
static const struct doctor_target doctor_this_thread = {.tid = 0, .cpu = -1, .group = -1};

// Tries to open an event. Returns its descriptor; else -errno, and the finding says why. -EAGAIN: of a
// snapshot that cannot be tried.
int doctor_open(const struct doctor *d, struct doctor_finding *f, const char *what, struct perf_event_attr *attr,
                struct doctor_target target);

#endif
