// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "collectors/perf/perf_explain.h"
#include "profiler/doctor/doctor_output.h"
#include "tests/c/check.h"

// A machine with a PMU, and an ordinary user.
static const struct perf_context plain = {.paranoid = 2, .pmu = "cpu"};

static void check_says(const struct perf_reason *reason, const char *cause, const char *remedy)
{
    const char *said = reason->remedy ? reason->remedy : "none";
    if (!strstr(reason->cause, cause) || (remedy && !strstr(said, remedy))) {
        fprintf(stderr, "\"%s\" (%s) instead of \"%s\" (%s)\n", reason->cause, said, cause, remedy ? remedy : "any");
        exit(1);
    }
}

TEST(paranoid_levels_are_told_apart)
{
    struct perf_context c = plain;
    check_says(perf_explain(EACCES, &c), "perf_event_paranoid is 2", "sudo sysctl kernel.perf_event_paranoid=1");
    c.paranoid = 4;
    check_says(perf_explain(-EACCES, &c), "above 2", "sudo sysctl kernel.perf_event_paranoid=1");
    c.perfmon = true; // CAP_PERFMON alone does not lift the distributions' levels
    check_says(perf_explain(EACCES, &c), "above 2", "sudo sysctl");
    c.host.is_container = true;
    check_says(perf_explain(EACCES, &c), "above 2", "on the host: sudo sysctl");
    c = plain;
    c.paranoid = 1;
    check_says(perf_explain(EACCES, &c), "not whole CPUs", "perf_event_paranoid=0");
    c.perfmon = c.admin = true;
    check_says(perf_explain(EACCES, &c), "SELinux", "ausearch");
    c.paranoid = PERF_CONTEXT_UNKNOWN;
    check_says(perf_explain(EACCES, &c), "SELinux", "ausearch");
}

TEST(filters_are_told_from_missing_kernel_support)
{
    struct perf_context c = plain;
    check_says(perf_explain(ENOSYS, &c), "built without perf events", "CONFIG_PERF_EVENTS");
    check_says(perf_explain(EPERM, &c), "security module", "/sys/kernel/security/lsm");
    c.host.has_seccomp_filter = true;
    check_says(perf_explain(ENOSYS, &c), "seccomp filter hides", "SystemCallFilter");
    check_says(perf_explain(EPERM, &c), "seccomp filter forbids", "SystemCallFilter");
    c.host.is_container = true;
    check_says(perf_explain(EPERM, &c), "container's seccomp filter", "docker run --cap-add PERFMON");
    check_says(perf_explain(ENOSYS, &c), "container's seccomp filter", "docker run --cap-add PERFMON");
}

TEST(a_missing_pmu_is_told_from_a_missing_event)
{
    struct perf_context c = plain;
    check_says(perf_explain(ENOENT, &c), "no such event", "numaprof events");
    check_says(perf_explain(ENXIO, &c), "registers", NULL);
    c.host.is_virtual = true;
    check_says(perf_explain(ENXIO, &c), "hypervisor hides", "pmu=on");
    check_says(perf_explain(EOPNOTSUPP, &c), "virtual PMU cannot sample", "pmu=on");
    c.pmu[0] = '\0';
    check_says(perf_explain(ENOENT, &c), "virtual machine has no PMU", "pmu=on");
    c.host.is_virtual = false;
    check_says(perf_explain(ENOENT, &c), "no PMU driver", "dmesg");
}

TEST(every_error_has_a_cause)
{
    const int errors[] = {EACCES, EPERM, ENOENT, ENODEV, EMFILE, ENFILE, ENOSYS,     EINVAL, EOPNOTSUPP,
                          E2BIG,  ENXIO, EBUSY,  ENOSPC, ESRCH,  ENOMEM, EOVERFLOW, 0};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        CHECK(perf_explain(errors[i], &plain)->cause[0] != '\0');
        CHECK(perf_explain_map(errors[i], &plain)->cause[0] != '\0');
    }
    check_says(perf_explain(EMFILE, &plain), "open files", "ulimit -n 65536");
    check_says(perf_explain(E2BIG, &plain), "too old", "newer kernel");
    check_says(perf_explain(EOVERFLOW, &plain), "does not document", NULL);
    check_says(perf_explain_map(EPERM, &plain), "locked memory", "perf_event_mlock_kb");
}

TEST(network_file_systems_are_known)
{
    bool network = false;
    CHECK_STR(doctor_output_type(0x6969, &network), "nfs");
    CHECK(network);
    CHECK_STR(doctor_output_type(0x01021997, &network), "9p");
    CHECK(network);
    CHECK_STR(doctor_output_type(0xef53, &network), "ext4");
    CHECK(!network);
    CHECK(doctor_output_type(1, &network) == NULL);
}
