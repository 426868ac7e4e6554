// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/run/machine.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/system/cgroup.h"
#include "core/system/emulated.h"
#include "core/system/sysfile.h"
#include "core/text/diag.h"
#include "core/topology/rank_place.h"
#include "core/topology/topology_pin.h"
#include "profiler/recorder/run/measured_rows.h"

static int machine_refuse_list(const char *list, int status, const struct topology_pin_refusal *refusal)
{
    char clean[128], why[512];
    diag_clean(clean, sizeof clean, list);
    if (status == -EPERM)
        diag_error("numaprof topology shows the CPUs there are", "--pin %s: %s", clean,
                   topology_pin_explain(why, sizeof why, refusal));
    else
        diag_error("use compact, scatter, none or a list such as 0,2,4-7", "--pin %s is neither a policy nor a list",
                   clean);
    return DIAG_EXIT_FAILED;
}

// CPUs that the control group allows; the launcher of a job may bind its ranks to fewer.
static int machine_cpus_of_group(const struct machine *machine)
{
    char group[PATH_MAX], list[CPULIST_TEXT_BYTES / 8];
    struct cpulist cpus;
    int online = 0;
    if (cgroup_path(group, sizeof group, "") == 0 &&
        sysfile_text("", list, sizeof list, "/sys/fs/cgroup%s/cpuset.cpus.effective", group) > 0 &&
        cpulist_parse(&cpus, list) == 0)
        return cpulist_count(&cpus);
    for (size_t i = 0; i < machine->topology.cpu_count; i++)
        online += machine->topology.cpus[i].online;
    return online;
}

// Each rank of the host has a number: where no launcher bound them, each takes its part.
static void machine_take_share(struct machine *machine)
{
    int first, count = rank_share(&machine->rank, (int)machine->slot_count, &first);
    memmove(machine->pin_order, machine->pin_order + first, (size_t)count * sizeof *machine->pin_order);
    machine->slot_count = (size_t)count;
    machine->shares_cpus = true;
}

static void machine_reverse(int *order, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        int other = order[count - 1 - i];
        order[count - 1 - i] = order[i];
        order[i] = other;
    }
}

// In place: a copy is too large for a small stack.
static void machine_rotate_order(struct machine *machine, size_t first)
{
    machine_reverse(machine->pin_order, first);
    machine_reverse(machine->pin_order + first, machine->slot_count - first);
    machine_reverse(machine->pin_order, machine->slot_count);
}

// Several ranks may be bound to the same CPUs (Open MPI: to a package), and some launchers number no ranks of a host:
// each begins elsewhere. None is kept from the other CPUs, for it may be alone there.
static void machine_begin_elsewhere(struct machine *machine, int allowed, int in_group)
{
    int place, known = machine->rank.local_size;
    machine->place_held = rank_place_claim(&machine->rank, &machine->topology.allowed_cpus, &place);
    machine->holds_place = machine->place_held >= 0;
    if (!machine->holds_place)
        return; // as if the rank were alone
    int sharers = known > 0 && in_group > 0 ? (int)(((long)allowed * known + in_group - 1) / in_group) : 0;
    machine_rotate_order(machine, (size_t)rank_place_first_slot(place, sharers, (int)machine->slot_count));
}

// Ranks of a host that begin at the same CPU would take it from each other. A binding is never widened.
static void machine_divide_cpus(struct machine *machine)
{
    const struct rank *rank = &machine->rank;
    if (!machine->is_rank || rank->size == 1 || rank->local_size == 1 || machine->slot_count == 0)
        return;
    int allowed = cpulist_count(&machine->topology.allowed_cpus), in_group = machine_cpus_of_group(machine);
    if (allowed >= in_group && rank->local_size > 1 && rank->local_number >= 0)
        machine_take_share(machine);
    else if (machine->slot_count > 1)
        machine_begin_elsewhere(machine, allowed, in_group);
}

static int machine_make_pin_order(struct machine *machine, const struct run_options *options)
{
    struct topology_pin_refusal refusal;
    int count = 0;
    switch (options->pin) {
    case RUN_PIN_COMPACT:
        count = topology_pin_order(&machine->topology, TOPOLOGY_PIN_COMPACT, machine->pin_order, CPULIST_MAX);
        break;
    case RUN_PIN_SCATTER:
        count = topology_pin_order(&machine->topology, TOPOLOGY_PIN_SCATTER, machine->pin_order, CPULIST_MAX);
        break;
    case RUN_PIN_LIST:
        count = topology_pin_list(&machine->topology, options->pin_list, machine->pin_order, CPULIST_MAX, &refusal);
        if (count < 0)
            return machine_refuse_list(options->pin_list, count, &refusal);
        break;
    case RUN_PIN_NONE:
        break;
    }
    machine->slot_count = count > 0 ? (size_t)count : 0;
    if (options->pin == RUN_PIN_COMPACT || options->pin == RUN_PIN_SCATTER)
        machine_divide_cpus(machine);
    return 0;
}

int machine_open(struct machine *machine, const struct run_options *options)
{
    int status = topology_read(&machine->topology, "");
    if (status < 0) {
        diag_error("mount /proc and /sys", "this machine's CPUs cannot be read: %s", strerror(-status));
        return DIAG_EXIT_FAILED;
    }
    if (emulated_name(machine->emulated_name, sizeof machine->emulated_name, ""))
        machine->emulated = machine->emulated_name;
    machine->is_rank = rank_read(&machine->rank);
    return machine_make_pin_order(machine, options);
}

void machine_close(struct machine *machine)
{
    if (machine->holds_place)
        close(machine->place_held);
    topology_free(&machine->topology);
}

void machine_write(const struct machine *machine, struct recording_queue *queue)
{
    const struct topology *t = &machine->topology;
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        RECORD(queue, RECORDING_NODE, RECORD_NUMBER(node->id), RECORD_KNOWN(node->mem_bytes),
               RECORD_KNOWN(node->free_bytes), RECORD_NUMBER(node->allowed));
    }
    for (size_t i = 0; i < t->node_count; i++)
        RECORD(queue, RECORDING_NODE_MEMORY, RECORD_NUMBER(t->nodes[i].id),
               RECORD_TEXT(topology_memory_name(t->nodes[i].memory)));
    for (size_t i = 0; i < t->cpu_count; i++) {
        const struct topology_cpu *cpu = &t->cpus[i];
        RECORD(queue, RECORDING_CPU, RECORD_NUMBER(cpu->id), RECORD_KNOWN(cpu->node),
               RECORD_KNOWN(cpu->package), RECORD_KNOWN(cpu->core), RECORD_KNOWN(cpu->thread),
               RECORD_NUMBER(cpu->online), RECORD_NUMBER(cpu->allowed));
    }
    for (size_t i = 0; i < t->cpu_count; i++)
        if (t->cpus[i].cache != TOPOLOGY_UNKNOWN)
            RECORD(queue, RECORDING_LAST_CACHE, RECORD_NUMBER(t->cpus[i].id), RECORD_NUMBER(t->cpus[i].cache));
    const struct rank *rank = &machine->rank;
    if (machine->is_rank)
        RECORD(queue, RECORDING_RANK, RECORD_NUMBER(rank->number), RECORD_TEXT(rank->launcher),
               RECORD_TEXT(*rank->job ? rank->job : NULL),
               RECORD_KNOWN(rank->size), RECORD_KNOWN(rank->local_number), RECORD_KNOWN(rank->local_size),
               RECORD_NUMBER(machine->shares_cpus));
    measured_rows_write(t, !machine->emulated, queue);
}
