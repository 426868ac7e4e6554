// SPDX-License-Identifier: Apache-2.0
#include "collectors/loads.h"

#include <errno.h>
#include <string.h>

#include "collectors/load_source.h"
#include "collectors/page_state.h"
#include "core/sysfile.h"
#include "core/topology.h"

enum { LOADS_KIND_LOAD = 2, LOADS_KIND_STORE = 3 }; // sample_kind in core/schema.sql

// --- what to open

static int loads_ibs(const char *root, struct perf_event_attr *attr)
{
    int64_t type;
    int status = sysfile_number(root, &type, "/sys/bus/event_source/devices/ibs_op/type");
    if (status < 0)
        return -ENOTSUP;
    *attr = (struct perf_event_attr){.type = (uint32_t)type};
    return 1;
}

static int loads_latency(const struct catalogue_cpu *cpu, struct perf_event_attr attr[2])
{
    int count = 0;
    if (cpu->sampling.leader)
        attr[count++] = (struct perf_event_attr){.type = PERF_TYPE_RAW, .config = cpu->sampling.leader};
    attr[count++] = (struct perf_event_attr){
        .type = PERF_TYPE_RAW,
        .config = cpu->sampling.config,
        .config1 = LOADS_THRESHOLD_CYCLES, // the format "ldlat" of Intel's PMU
        .precise_ip = 2,
    };
    return count;
}

int loads_attributes(const struct catalogue_cpu *cpu, const char *root, struct perf_event_attr attr[2])
{
    const char *method = cpu->sampling.method ? cpu->sampling.method : "";
    if (strcmp(method, "ibs-op") == 0)
        return loads_ibs(root, attr);
    if (strcmp(method, "load-latency") == 0)
        return loads_latency(cpu, attr);
    if (strcmp(method, "marked") == 0) {
        attr[0] = (struct perf_event_attr){.type = PERF_TYPE_RAW, .config = cpu->sampling.config};
        return 1;
    }
    return -ENOTSUP; // Arm SPE comes in packets, which the kernel does not decode
}

// --- taking

void loads_take(struct loads *loads, const struct perf_sample *sample, int64_t event, const struct thread *thread,
                int64_t stack)
{
    const union perf_mem_data_src source = {.val = sample->source};
    bool is_store = source.mem_op & PERF_MEM_OP_STORE, is_load = source.mem_op & PERF_MEM_OP_LOAD;
    if (sample->address == 0 || (!is_store && !is_load && sample->source != 0))
        return; // IBS samples all operations: this one has no data address
    if (loads->pending_count == LOADS_PENDING)
        loads_settle(loads);
    loads->pending[loads->pending_count++] = (struct loads_pending){
        .time = sample->time,
        .address = sample->address,
        .latency = (uint32_t)sample->weight, // the upper half is another number where PERF_SAMPLE_WEIGHT_STRUCT exists
        .weight = sample->period,
        .data_src = sample->source,
        .thread = thread->id,
        .stack = stack,
        .event = event,
        .found = objects_live(loads->objects, thread->process, sample->address, sample->time),
        .process = thread->process,
        .cpu = (int32_t)sample->cpu,
        .is_store = is_store,
    };
}

// --- settling

// A local or remote answer from memory must fit the node of the page; where it does not, the page has moved since, or
// the CPU's word for it is wrong.
static void loads_check(struct loads *loads, const struct loads_pending *load, enum load_source source, int32_t home)
{
    const struct topology_cpu *cpu = topology_cpu(loads->topology, load->cpu);
    if (home < 0 || !cpu || cpu->node < 0 || (source != LOAD_LOCAL_DRAM && source != LOAD_REMOTE_DRAM))
        return;
    loads->checked++;
    loads->contradicted += (source == LOAD_LOCAL_DRAM) != (home == cpu->node);
}

static void loads_record(struct loads *loads, const struct loads_pending *load, int32_t home)
{
    enum load_source source = load_source_of(load->data_src);
    loads_check(loads, load, source, home);
    struct samples_row row = samples_row(load->is_store ? LOADS_KIND_STORE : LOADS_KIND_LOAD, load->event,
                                         tasks_time(loads->tasks, load->time), load->thread, load->weight);
    row.cpu = load->cpu;
    row.stack = load->stack;
    row.address = (int64_t)load->address;
    row.block = objects_block(loads->objects, load->process, load->address, load->time, load->found);
    row.page_node = home >= 0 ? home : RECORDING_NULL;
    row.source = source != LOAD_UNKNOWN ? (int64_t)source : RECORDING_NULL;
    row.latency = load->latency > 0 ? (int64_t)load->latency : RECORDING_NULL;
    objects_has_row(loads->objects, load->found, samples_put(loads->samples, &row));
}

// The pending loads of one process, chunk by chunk.
static void loads_settle_process(struct loads *loads, struct process *process)
{
    enum { CHUNK = 512 };
    uint64_t addresses[CHUNK];
    struct loads_pending *chunk[CHUNK];
    int32_t homes[CHUNK];
    for (size_t i = 0; i < loads->pending_count;) {
        size_t n = 0;
        for (; i < loads->pending_count && n < CHUNK; i++) {
            if (loads->pending[i].process != process)
                continue;
            chunk[n] = &loads->pending[i];
            addresses[n++] = loads->pending[i].address;
        }
        page_state_query(process->pid, addresses, n, homes);
        for (size_t k = 0; k < n; k++) {
            loads_record(loads, chunk[k], homes[k]);
            chunk[k]->process = NULL;
        }
    }
}

void loads_settle(struct loads *loads)
{
    for (size_t i = 0; i < loads->pending_count; i++)
        if (loads->pending[i].process)
            loads_settle_process(loads, loads->pending[i].process);
    loads->pending_count = 0;
}
