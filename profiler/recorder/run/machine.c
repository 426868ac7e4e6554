// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/run/machine.h"

#include <errno.h>
#include <string.h>

#include "core/system/emulated.h"
#include "core/text/diag.h"
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
    return machine_make_pin_order(machine, options);
}

void machine_close(struct machine *machine)
{
    topology_free(&machine->topology);
}

static struct recording_value machine_number(int64_t value)
{
    return value < 0 ? RECORD_NULL : RECORD_NUMBER(value); // topology's and others' word for unknown
}

void machine_write(const struct machine *machine, struct recording_queue *queue)
{
    const struct topology *t = &machine->topology;
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        RECORD(queue, RECORDING_NODE, RECORD_NUMBER(node->id), machine_number(node->mem_bytes),
               machine_number(node->free_bytes), RECORD_NUMBER(node->allowed));
    }
    for (size_t i = 0; i < t->node_count; i++)
        RECORD(queue, RECORDING_NODE_MEMORY, RECORD_NUMBER(t->nodes[i].id),
               RECORD_TEXT(topology_memory_name(t->nodes[i].memory)));
    for (size_t i = 0; i < t->cpu_count; i++) {
        const struct topology_cpu *cpu = &t->cpus[i];
        RECORD(queue, RECORDING_CPU, RECORD_NUMBER(cpu->id), machine_number(cpu->node),
               machine_number(cpu->package), machine_number(cpu->core), machine_number(cpu->thread), RECORD_NUMBER(cpu->online),
               RECORD_NUMBER(cpu->allowed));
    }
    measured_rows_write(t, !machine->emulated, queue);
}
