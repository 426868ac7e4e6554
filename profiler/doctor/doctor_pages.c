// SPDX-License-Identifier: Apache-2.0
// Can the kernel be asked where pages are?
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "profiler/doctor/doctor.h"
#include "profiler/doctor/doctor_gate.h"

// The node of a page of ours that certainly exists, or -errno.
static int doctor_pages_ask(void)
{
    char page = 1;
    void *pages[] = {&page};
    int answer = -ENOENT;
    if (syscall(SYS_move_pages, 0, 1UL, pages, NULL, &answer, 0) < 0)
        return -errno;
    return answer;
}

static bool doctor_pages_maps(void)
{
    char text[128];
    return sysfile_head("", text, sizeof text, "/proc/self/numa_maps") > 0;
}

static void doctor_pages_refused(const struct doctor *d, struct doctor_finding *f, int error)
{
    const char *name = strerrorname_np(error);
    bool filtered = d->perf.host.has_seccomp_filter;
    if (d->move_pages_gate == DOCTOR_GATE_KILLS)
        name = "killed";
    if (doctor_pages_maps())
        doctor_find(f, DOCTOR_PART, "numa_maps only (move_pages: %s): slower, and per mapping", name ? name : "error");
    else
        doctor_find(f, DOCTOR_NO, "move_pages: %s, and no numa_maps", name ? name : "error");
    if (filtered && d->perf.host.is_container) {
        doctor_cause(f, "the container's seccomp filter forbids move_pages");
        doctor_remedy(f, "docker run --security-opt seccomp=unconfined ... (or a profile that allows move_pages)");
    } else if (filtered) {
        doctor_cause(f, "a seccomp filter forbids move_pages");
        doctor_remedy(f, "run outside the sandbox that installed it (systemd: SystemCallFilter=move_pages)");
    } else if (error == ENOSYS) {
        doctor_cause(f, "the kernel was built without page migration");
        doctor_remedy(f, "boot a kernel with CONFIG_NUMA and CONFIG_MIGRATION");
    } else {
        doctor_cause(f, "%s", strerror(error));
    }
}

void doctor_pages_homes(const struct doctor *d, struct doctor_finding *f)
{
    if (!d->live) {
        doctor_find(f, DOCTOR_UNKNOWN, "a snapshot does not tell");
        return;
    }
    int node = d->move_pages_gate == DOCTOR_GATE_KILLS ? -EPERM : doctor_pages_ask();
    if (node < 0)
        doctor_pages_refused(d, f, -node);
    else
        doctor_find(f, DOCTOR_YES, "move_pages tells nodes");
}
