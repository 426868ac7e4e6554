// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/perf_explain.h"

#include <errno.h>
#include <stdlib.h>

// Sources: perf_event_open(2); the kernel's kernel/events/core.c (perf_event_open, perf_mmap) and
// arch/x86/events/core.c; levels 3 and 4 of perf_event_paranoid are patches of Debian and Ubuntu; what containers allow
// is from moby's and Podman's default seccomp profiles.

struct perf_explain_rule {
    int error;
    bool (*applies)(const struct perf_context *context); // NULL: always
    struct perf_reason reason;
};

static bool perf_explain_no_privilege_container(const struct perf_context *c)
{
    return c->host.is_container && c->paranoid > 2 && !c->admin;
}

static bool perf_explain_no_privilege(const struct perf_context *c)
{
    return c->paranoid > 2 && !c->admin;
}

static bool perf_explain_user_mode_container(const struct perf_context *c)
{
    return c->host.is_container && c->paranoid == 2 && !c->perfmon;
}

static bool perf_explain_user_mode(const struct perf_context *c)
{
    return c->paranoid == 2 && !c->perfmon;
}

static bool perf_explain_task_only(const struct perf_context *c)
{
    return c->paranoid == 1 && !c->perfmon;
}

static bool perf_explain_filter_container(const struct perf_context *c)
{
    return c->host.has_seccomp_filter && c->host.is_container;
}

static bool perf_explain_filter(const struct perf_context *c)
{
    return c->host.has_seccomp_filter;
}

static bool perf_explain_no_pmu_virtual(const struct perf_context *c)
{
    return !c->pmu[0] && c->host.is_virtual;
}

static bool perf_explain_no_pmu(const struct perf_context *c)
{
    return !c->pmu[0];
}

static bool perf_explain_virtual(const struct perf_context *c)
{
    return c->host.is_virtual;
}

static const char pmu_for_guest[] =
    "let the hypervisor offer one: QEMU -cpu host,pmu=on; libvirt <pmu state='on'/>; VMware vhv and vpmc enabled; in a "
    "cloud, a dedicated or metal instance";
static const char run_container[] = "docker run --cap-add PERFMON --security-opt seccomp=unconfined ...";

// The first rule that fits is the reason.
static const struct perf_explain_rule perf_explain_open[] = {
    {EACCES, perf_explain_no_privilege_container,
     {"kernel.perf_event_paranoid is above 2: only processes with CAP_SYS_ADMIN may use perf events",
      "on the host: sudo sysctl kernel.perf_event_paranoid=1"}},
    {EACCES, perf_explain_no_privilege,
     {"kernel.perf_event_paranoid is above 2: only processes with CAP_SYS_ADMIN may use perf events",
      "sudo sysctl kernel.perf_event_paranoid=1"}},
    {EACCES, perf_explain_user_mode_container,
     {"kernel.perf_event_paranoid is 2: without CAP_PERFMON a process may only measure its own user mode",
      "on the host: sudo sysctl kernel.perf_event_paranoid=1"}},
    {EACCES, perf_explain_user_mode,
     {"kernel.perf_event_paranoid is 2: without CAP_PERFMON a process may only measure its own user mode",
      "sudo sysctl kernel.perf_event_paranoid=1"}},
    {EACCES, perf_explain_task_only,
     {"kernel.perf_event_paranoid is 1: without CAP_PERFMON processes may be measured, but not whole CPUs",
      "sudo sysctl kernel.perf_event_paranoid=0"}},
    {EACCES, NULL,
     {"the process belongs to another user, or a security module (SELinux) forbids it",
      "run as the owner or as root; sudo ausearch -m avc -ts recent shows what SELinux forbade"}},

    {EPERM, perf_explain_filter_container, {"the container's seccomp filter forbids perf_event_open", run_container}},
    {EPERM, perf_explain_filter,
     {"a seccomp filter forbids perf_event_open",
      "run outside the sandbox that installed it (systemd: SystemCallFilter=perf_event_open)"}},
    {EPERM, NULL,
     {"a security module forbids perf events", "cat /sys/kernel/security/lsm /sys/kernel/security/lockdown names it"}},

    {ENOSYS, perf_explain_filter_container,
     {"the container's seccomp filter hides perf_event_open", run_container}},
    {ENOSYS, perf_explain_filter,
     {"a seccomp filter hides perf_event_open",
      "run outside the sandbox that installed it (systemd: SystemCallFilter=perf_event_open)"}},
    {ENOSYS, NULL, {"the kernel was built without perf events", "boot a kernel with CONFIG_PERF_EVENTS"}},

    {ENOENT, perf_explain_no_pmu_virtual, {"this virtual machine has no PMU", pmu_for_guest}},
    {ENOENT, perf_explain_no_pmu,
     {"the kernel has no PMU driver for this CPU",
      "use a newer kernel; sudo dmesg | grep -i 'performance events' says why"}},
    {ENOENT, NULL, {"this CPU has no such event, or the kernel does not know it", "numaprof events"}},

    {ENXIO, perf_explain_virtual,
     {"the hypervisor hides the registers of this event (offcore response)", pmu_for_guest}},
    {ENXIO, NULL, {"the registers of this event cannot be written", NULL}},

    {EOPNOTSUPP, perf_explain_virtual, {"the virtual PMU cannot sample (precisely)", pmu_for_guest}},
    {EOPNOTSUPP, NULL, {"this PMU cannot sample (precisely)", NULL}},

    {ENODEV, NULL, {"the CPU is offline, or lacks a requested feature", "numaprof topology"}},
    {EINVAL, NULL,
     {"the kernel does not accept this event: it is too old for this CPU, or its counters cannot hold the group",
      "a newer kernel; numaprof events"}},
    {E2BIG, NULL, {"the kernel is too old for this event", "a newer kernel"}},
    {ENOBUFS, NULL, // not the kernel's word: so that it is told from EPERM of opening
     {"the limit of locked memory, which all programs of a user share, is reached",
      "sudo sysctl kernel.perf_event_mlock_kb=2048, or ulimit -l unlimited"}},
    {EMFILE, NULL, {"the limit of open files is reached", "ulimit -n 65536"}},
    {ENFILE, NULL, {"the machine's limit of open files is reached", "sudo sysctl fs.file-max=1000000"}},
    {EBUSY, NULL,
     {"the PMU is in exclusive use by another program",
      "stop other profilers; echo 0 | sudo tee /proc/sys/kernel/nmi_watchdog"}},
    {ENOSPC, NULL, {"other programs use all counters of this kind", "stop other profilers"}},
    {ESRCH, NULL, {"the thread has ended", NULL}},
    {ENOMEM, NULL, {"out of memory", "free some"}},
    {EBADMSG, NULL, // not the kernel's word either: COUNTERS_IS_WRONG
     {"numaprof verify found that its events count something else on this machine", "numaprof verify shows which"}},
    {0, NULL, {"perf_event_open(2) does not document this error", NULL}},
};

static const struct perf_explain_rule perf_explain_mapping[] = {
    {EPERM, NULL,
     {"the limit of locked memory, which all programs of a user share, is reached",
      "sudo sysctl kernel.perf_event_mlock_kb=2048, or ulimit -l unlimited"}},
    {ENOMEM, NULL, {"out of memory or of mappings", "free some, or sudo sysctl vm.max_map_count=262144"}},
    {0, NULL, {"the ring of the event cannot be mapped", NULL}},
};

// The last rule, for error 0, takes what is left.
static const struct perf_reason *perf_explain_find(const struct perf_explain_rule *rule, int error,
                                                   const struct perf_context *context)
{
    while (rule->error != 0 && (rule->error != abs(error) || (rule->applies && !rule->applies(context))))
        rule++;
    return &rule->reason;
}

const struct perf_reason *perf_explain(int error, const struct perf_context *context)
{
    return perf_explain_find(perf_explain_open, error, context);
}

const struct perf_reason *perf_explain_map(int error, const struct perf_context *context)
{
    return perf_explain_find(perf_explain_mapping, error, context);
}
