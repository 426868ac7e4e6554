// SPDX-License-Identifier: Apache-2.0
#include "profiler/doctor/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collectors/perf/perf_event.h"
#include "profiler/doctor/doctor_gate.h"

void doctor_find(struct doctor_finding *f, enum doctor_state state, const char *detail_format, ...)
{
    va_list arguments;
    va_start(arguments, detail_format);
    vsnprintf(f->detail, sizeof f->detail, detail_format, arguments);
    va_end(arguments);
    f->state = state;
}

void doctor_cause(struct doctor_finding *f, const char *cause_format, ...)
{
    va_list arguments;
    va_start(arguments, cause_format);
    vsnprintf(f->cause, sizeof f->cause, cause_format, arguments);
    va_end(arguments);
}

void doctor_remedy(struct doctor_finding *f, const char *remedy_format, ...)
{
    va_list arguments;
    va_start(arguments, remedy_format);
    vsnprintf(f->remedy, sizeof f->remedy, remedy_format, arguments);
    va_end(arguments);
}

void doctor_refused(struct doctor_finding *f, const char *what, int error, const struct perf_reason *reason)
{
    const char *name = strerrorname_np(error < 0 ? -error : error);
    doctor_find(f, DOCTOR_NO, "%s: %s", what, name ? name : "error");
    doctor_cause(f, "%s", reason->cause);
    doctor_remedy(f, "%s", reason->remedy ? reason->remedy : "");
}

void doctor_no_pmu(struct doctor_finding *f)
{
    doctor_find(f, DOCTOR_NO, "-");
    doctor_cause(f, "there is no PMU");
    doctor_remedy(f, "%s", "");
}

// A snapshot tells at most that nothing can be opened.
static int doctor_open_nothing(const struct doctor *d, struct doctor_finding *f, const char *what)
{
    if (d->perf.paranoid > 2 && !d->perf.admin)
        doctor_refused(f, what, EACCES, perf_explain(EACCES, &d->perf));
    else
        doctor_find(f, DOCTOR_UNKNOWN, "%s: a snapshot does not tell", what);
    return -EAGAIN;
}

int doctor_open(const struct doctor *d, struct doctor_finding *f, const char *what, struct perf_event_attr *attr,
                struct doctor_target target)
{
    static const struct perf_reason killed = {
        "a seccomp filter kills processes that call perf_event_open",
        "run outside the sandbox that installed it (systemd: SystemCallFilter=perf_event_open)",
    };
    if (!d->live)
        return doctor_open_nothing(d, f, what);
    bool kills = d->perf_gate == DOCTOR_GATE_KILLS;
    int fd = kills ? -EPERM : perf_event_open(attr, target.tid, target.cpu, target.group);
    if (fd < 0)
        doctor_refused(f, what, fd, kills ? &killed : perf_explain(fd, &d->perf));
    return fd;
}
