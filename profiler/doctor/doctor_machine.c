// SPDX-License-Identifier: Apache-2.0
// What the machine is, and settings of its kernel that change what a measurement means.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/system/emulated.h"
#include "core/system/sysfile.h"
#include "profiler/doctor/doctor.h"

void doctor_machine_cpu(const struct doctor *d, struct doctor_finding *f)
{
    const struct cpu_identity *cpu = d->topology ? &d->topology->cpu : NULL;
    if (!cpu || !*cpu->vendor) {
        doctor_find(f, DOCTOR_UNKNOWN, "not told");
        doctor_cause(f, "/proc/cpuinfo does not say which CPU this is");
        return;
    }
    char numbers[64] = ""; // s390 has neither; as /proc/cpuinfo writes them: Arm's vendor and part as 0x41, 0xd0c
    if (cpu->family >= 0)
        snprintf(numbers, sizeof numbers, " family %d", cpu->family);
    if (cpu->model >= 0)
        snprintf(numbers + strlen(numbers), sizeof numbers - strlen(numbers),
                 cpu->vendor[0] == '0' ? " part %#x stepping %d" : " model %d stepping %d", cpu->model, cpu->stepping);
    bool known = d->uarch && !event_catalogue_is_fallback(d->uarch);
    const bool one_node = d->topology->node_count == 1;
    doctor_find(f, known || one_node ? DOCTOR_YES : DOCTOR_PART, "%s: %s (%s%s)",
                d->uarch ? d->uarch->name : "unknown", cpu->name[0] ? cpu->name : "no name", cpu->vendor, numbers);
    if (cpu->mixed && !one_node) {
        f->state = DOCTOR_PART;
        doctor_cause(f,
                     "this machine has CPUs of several models: events are the first one's, and count on its like only");
        doctor_remedy(f, "taskset -c LIST numaprof PROGRAM, with CPUs of one model");
    } else if (!known && one_node) {
        doctor_cause(f, "it is not in the event catalogue, but on one node no access can be remote");
    } else if (!known) {
        doctor_cause(f, d->uarch ? "it is not in the event catalogue: only what all its relatives have is used"
                                 : "it is not in the event catalogue: which of its events tell local from remote is "
                                     "not known");
        doctor_remedy(f, "numaprof events --list shows the CPUs there are; docs/dev/adding-a-cpu.md how to add one");
    }
}

static void doctor_machine_inside(struct doctor_finding *f, bool is_inside, const char *name)
{
    doctor_find(f, DOCTOR_FACT, "%s%s%s", is_inside ? "yes" : "no", name[0] ? ", " : "", name);
}

void doctor_machine_virtual(const struct doctor *d, struct doctor_finding *f)
{
    char machine[64];
    if (emulated_name(machine, sizeof machine, d->root))
        doctor_find(f, DOCTOR_FACT, "yes, emulated (%s): counts and placement are valid, times are not", machine);
    else
        doctor_machine_inside(f, d->perf.host.is_virtual, d->perf.host.hypervisor);
}

void doctor_machine_container(const struct doctor *d, struct doctor_finding *f)
{
    doctor_machine_inside(f, d->perf.host.is_container, d->perf.host.container);
}

static void doctor_machine_count_nodes(const struct topology *t, struct doctor_finding *f)
{
    size_t with_cpus = 0, with_memory = 0;
    for (size_t i = 0; i < t->node_count; i++) {
        with_cpus += cpulist_next(&t->nodes[i].cpus, 0) >= 0;
        with_memory += t->nodes[i].mem_bytes != 0;
    }
    if (with_cpus == t->node_count && with_memory == t->node_count)
        doctor_find(f, DOCTOR_YES, "%zu", t->node_count);
    else
        doctor_find(f, DOCTOR_YES, "%zu, of which %zu with CPUs, %zu with memory", t->node_count, with_cpus,
                    with_memory);
    if (topology_is_flat(t)) {
        f->state = DOCTOR_PART;
        doctor_cause(f, "all distances are 10: if the kernel emulates the nodes (numa=fake), no access is remote in "
                        "truth");
        doctor_remedy(f, "numaprof topology --measure tells");
    }
}

void doctor_machine_nodes(const struct doctor *d, struct doctor_finding *f)
{
    if (!d->topology) {
        doctor_find(f, DOCTOR_UNKNOWN, "not told");
        doctor_cause(f, "the topology cannot be read");
        doctor_remedy(f, "numaprof topology");
    } else if (d->topology->node_count > 1) {
        doctor_machine_count_nodes(d->topology, f);
    } else {
        doctor_find(f, DOCTOR_NO, "1");
        doctor_cause(f, d->topology->numa ? "nothing can be remote on one node" : "the kernel shows no nodes");
        doctor_remedy(f, "numaprof lab -- COMMAND runs it on an emulated NUMA machine");
    }
}

void doctor_machine_balancing(const struct doctor *d, struct doctor_finding *f)
{
    int64_t mode;
    int status = sysfile_number(d->root, &mode, "/proc/sys/kernel/numa_balancing");
    if (status == -ENOENT)
        doctor_find(f, DOCTOR_FACT, "not in this kernel");
    else if (status < 0)
        doctor_find(f, DOCTOR_UNKNOWN, "cannot be read");
    else if (mode == 0)
        doctor_find(f, DOCTOR_YES, "off");
    else {
        doctor_find(f, DOCTOR_PART, mode & 1 ? "on" : "tiering only");
        doctor_cause(f, "it moves pages while a program is measured (and shows who uses them)");
        doctor_remedy(f, "sudo sysctl kernel.numa_balancing=0");
    }
}

void doctor_machine_watchdog(const struct doctor *d, struct doctor_finding *f)
{
    int64_t on;
    if (sysfile_number(d->root, &on, "/proc/sys/kernel/nmi_watchdog") < 0)
        doctor_find(f, DOCTOR_FACT, "not in this kernel");
    else if (on == 0)
        doctor_find(f, DOCTOR_YES, "off");
    else if (!d->perf.pmu[0])
        doctor_find(f, DOCTOR_FACT, "on, without a PMU");
    else {
        doctor_find(f, DOCTOR_PART, "on");
        doctor_cause(f, "it takes one of the counters of every CPU");
        doctor_remedy(f, "echo 0 | sudo tee /proc/sys/kernel/nmi_watchdog");
    }
}

void doctor_machine_huge_pages(const struct doctor *d, struct doctor_finding *f)
{
    char text[64], mode[16];
    if (sysfile_text(d->root, text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled") < 0)
        doctor_find(f, DOCTOR_FACT, "not in this kernel");
    else if (!strchr(text, '[') || sscanf(strchr(text, '['), "[%15[a-z]]", mode) != 1)
        doctor_find(f, DOCTOR_UNKNOWN, "cannot be read");
    else
        doctor_find(f, DOCTOR_FACT, "%s%s", mode,
                    strcmp(mode, "always") == 0 ? ": one first touch may place a whole huge page" : "");
}
