// SPDX-License-Identifier: Apache-2.0
// What this process may do, and how much of it.
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "core/text/units.h"
#include "profiler/doctor/doctor.h"
#include "profiler/doctor/doctor_gate.h"

enum {
    // Descriptors of a run: per thread the groups of counters of all classes, per CPU two fault events, and the rest.
    DOCTOR_LIMITS_FILES_PER_CPU = 16,
    DOCTOR_LIMITS_FILES = 64,
    // The kernel's default of perf_event_mlock_kb, 512 and one page (kernel/events/core.c): rings are made for it.
    DOCTOR_LIMITS_LOCKED_KB = 516,
};

void doctor_limits_paranoid(const struct doctor *d, struct doctor_finding *f)
{
    int level = d->perf.paranoid;
    if (level == PERF_CONTEXT_UNKNOWN) {
        doctor_find(f, DOCTOR_UNKNOWN, "cannot be read");
        doctor_cause(f, "the kernel has no perf events, or /proc is hidden");
        return;
    }
    bool binds = level > 2 ? !d->perf.admin : level > 1 && !d->perf.perfmon;
    doctor_find(f, !binds ? DOCTOR_YES : level > 2 ? DOCTOR_NO : DOCTOR_PART, "%d%s", level,
                binds || level <= 1 ? "" : ", but this process is privileged");
    if (binds) {
        const struct perf_reason *reason = perf_explain(EACCES, &d->perf);
        doctor_cause(f, "%s", reason->cause);
        doctor_remedy(f, "%s", reason->remedy);
    }
}

void doctor_limits_capabilities(const struct doctor *d, struct doctor_finding *f)
{
    static const struct {
        int bit;
        const char *name;
    } wanted[] = {
        {CAP_PERFMON, "CAP_PERFMON"}, {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}, {CAP_SYS_PTRACE, "CAP_SYS_PTRACE"}};
    const struct host *host = &d->perf.host;
    char names[64] = "";
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (host->capabilities_known && (host->capabilities >> wanted[i].bit & 1))
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? " " : "", wanted[i].name);
    doctor_find(f, host->capabilities_known ? DOCTOR_FACT : DOCTOR_UNKNOWN, "%s",
                !host->capabilities_known ? "not told" : names[0] ? names : "none");
    if (names[0] && host->is_user_namespace) {
        f->state = DOCTOR_PART;
        doctor_cause(f, "in a user namespace: they do not count for perf events");
        doctor_remedy(f, "run as root of the machine, or sudo sysctl kernel.perf_event_paranoid=1");
    }
}

// Adds a system call to the list of those that a filter stops.
static void doctor_limits_add(char *list, size_t size, const char *name, int gate)
{
    if (gate != 0)
        snprintf(list + strlen(list), size - strlen(list), "%s%s (%s)", list[0] ? ", " : "", name,
                 gate == DOCTOR_GATE_KILLS ? "kills" : strerrorname_np(gate) ? strerrorname_np(gate) : "error");
}

void doctor_limits_seccomp(const struct doctor *d, struct doctor_finding *f)
{
    char stopped[160] = "";
    if (d->live) {
        doctor_limits_add(stopped, sizeof stopped, "perf_event_open", d->perf_gate);
        doctor_limits_add(stopped, sizeof stopped, "move_pages", d->move_pages_gate);
        doctor_limits_add(stopped, sizeof stopped, "get_mempolicy", doctor_gate(SYS_get_mempolicy));
    }
    if (!d->perf.host.seccomp_known) {
        doctor_find(f, DOCTOR_UNKNOWN, "not told");
    } else if (!d->perf.host.has_seccomp_filter) {
        doctor_find(f, DOCTOR_YES, "no filter");
    } else if (!d->live) {
        doctor_find(f, DOCTOR_UNKNOWN, "a filter; a snapshot does not tell what it forbids");
    } else if (!stopped[0]) {
        doctor_find(f, DOCTOR_YES, "a filter that lets through what is needed");
    } else {
        doctor_find(f, DOCTOR_PART, "a filter stops %s", stopped);
        if (d->perf.host.is_container)
            doctor_remedy(f, "docker run --cap-add PERFMON --security-opt seccomp=unconfined ...");
    }
}

void doctor_limits_ptrace(const struct doctor *d, struct doctor_finding *f)
{
    int64_t scope;
    if (sysfile_number(d->root, &scope, "/proc/sys/kernel/yama/ptrace_scope") < 0) {
        doctor_find(f, DOCTOR_YES, "not limited by Yama");
        return;
    }
    bool binds = scope > 2 || (scope == 2 && !host_is_capable(&d->perf.host, CAP_SYS_PTRACE));
    doctor_find(f, binds ? DOCTOR_NO : DOCTOR_YES, "yama.ptrace_scope %d%s", (int)scope,
                scope == 1 ? ": own children, which is enough to run them" : "");
    if (binds) {
        doctor_cause(f, "processes may not be looked into: no last look at a program's pages before it ends");
        doctor_remedy(f, "%s", scope > 2 ? "reboot: 3 cannot be lowered" : "sudo sysctl kernel.yama.ptrace_scope=1");
    }
}

void doctor_limits_files(const struct doctor *d, struct doctor_finding *f)
{
    struct rlimit limit;
    if (!d->live || getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        doctor_find(f, DOCTOR_UNKNOWN, "a snapshot does not tell");
        return;
    }
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    rlim_t needed = DOCTOR_LIMITS_FILES + DOCTOR_LIMITS_FILES_PER_CPU * (rlim_t)(cpus > 0 ? cpus : 1);
    if (limit.rlim_cur >= needed) {
        doctor_find(f, DOCTOR_YES, "%ju", (uintmax_t)limit.rlim_cur);
        return;
    }
    doctor_find(f, DOCTOR_NO, "%ju", (uintmax_t)limit.rlim_cur);
    doctor_cause(f, "counting one thread on each CPU takes about %ju descriptors", (uintmax_t)needed);
    if (limit.rlim_max >= needed)
        doctor_remedy(f, "ulimit -n %ju", (uintmax_t)(limit.rlim_max < 65536 ? limit.rlim_max : 65536));
    else
        doctor_remedy(f, "sudo prlimit --pid $$ --nofile=65536:65536");
}

void doctor_limits_locked(const struct doctor *d, struct doctor_finding *f)
{
    int64_t kilobytes;
    if (sysfile_number(d->root, &kilobytes, "/proc/sys/kernel/perf_event_mlock_kb") < 0) {
        doctor_find(f, DOCTOR_UNKNOWN, "not told");
        return;
    }
    struct rlimit limit = {0};
    char more[UNITS_BYTES_TEXT] = "";
    bool unlimited = host_is_capable(&d->perf.host, CAP_IPC_LOCK);
    if (d->live && getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
        unlimited = unlimited || limit.rlim_cur == RLIM_INFINITY;
        units_bytes(more, limit.rlim_cur == RLIM_INFINITY ? INT64_MAX : (int64_t)limit.rlim_cur);
    }
    bool enough = unlimited || kilobytes >= DOCTOR_LIMITS_LOCKED_KB;
    doctor_find(f, enough ? DOCTOR_YES : DOCTOR_PART, "%jd KiB per CPU%s%s%s", (intmax_t)kilobytes,
                more[0] ? " and " : "", more, unlimited ? ", not limited for this process" : "");
    if (!enough) {
        doctor_cause(f, "rings become smaller, and more samples are lost");
        doctor_remedy(f, "sudo sysctl kernel.perf_event_mlock_kb=%d", DOCTOR_LIMITS_LOCKED_KB);
    }
}
