// SPDX-License-Identifier: Apache-2.0
#include "collectors/loads/loads.h"

#include "collectors/loads/loads_ibs.h"
#include "collectors/pages/pages_state.h"
#include "core/topology/topology.h"

// --- taking

void loads_take(struct loads *loads, const struct perf_sample *taken, struct loads_origin origin,
                const struct thread *thread, int64_t stack)
{
    struct perf_sample decoded = *taken;
    const struct perf_sample *sample = &decoded;
    loads_ibs_decode(&decoded);
    const union perf_mem_data_src source = {.val = sample->source};
    bool is_store = source.mem_op & PERF_MEM_OP_STORE, is_load = source.mem_op & PERF_MEM_OP_LOAD;
    bool is_of_event = origin.source != LOAD_UNKNOWN;
    if (sample->address == 0 || (!is_of_event && !is_store && !is_load && sample->source != 0))
        return; // IBS samples all operations: this one has no data address
    if (loads->pending_count == LOADS_PENDING)
        loads_classify(loads);
    loads->pending[loads->pending_count++] = (struct loads_pending){
        .time = sample->time,
        .address = sample->address,
        // The upper half is another number where PERF_SAMPLE_WEIGHT_STRUCT exists.
        .latency = is_of_event ? 0 : (uint32_t)sample->weight,
        .weight = sample->period,
        .source = is_of_event ? origin.source : load_source_of(sample->source),
        .thread = thread->id,
        .stack = stack,
        .event = origin.event,
        .found = objects_live(loads->objects, thread->process, sample->address, sample->time),
        .process = thread->process,
        .cpu = (int32_t)sample->cpu,
        .is_store = is_store && !is_of_event,
    };
}

// --- classifying

// True for a node of the same package: CPUs with split sockets report that as local.
static bool loads_is_near(const struct topology *topology, const struct topology_cpu *cpu, int32_t node)
{
    for (size_t i = 0; i < topology->cpu_count; i++)
        if (topology->cpus[i].node == node && topology->cpus[i].package == cpu->package)
            return true;
    return node == cpu->node;
}

// Compares a local or remote answer from memory with the node of the page. They disagree if the page has moved since,
// or if the CPU reported a wrong source.
static void loads_check(struct loads *loads, const struct loads_pending *load, enum load_source source,
                        int32_t page_node)
{
    const struct topology_cpu *cpu = topology_cpu(loads->topology, load->cpu);
    if (page_node < 0 || !cpu || cpu->node < 0 || (source != LOAD_LOCAL_DRAM && source != LOAD_REMOTE_DRAM))
        return;
    loads->checked++;
    loads->contradicted +=
        source == LOAD_LOCAL_DRAM ? !loads_is_near(loads->topology, cpu, page_node) : page_node == cpu->node;
}

// Kernels and CPUs may report CXL memory as DRAM; the page's node decides.
static enum load_source loads_tier(const struct loads *loads, enum load_source source, int32_t page_node)
{
    bool memory = source == LOAD_LOCAL_DRAM || source == LOAD_REMOTE_DRAM;
    return memory && page_node >= 0 && topology_is_slow_tier(loads->topology, page_node) ? LOAD_SLOW_TIER : source;
}

static void loads_record(struct loads *loads, const struct loads_pending *load, int32_t page_node)
{
    enum load_source source = loads_tier(loads, load->source, page_node);
    loads_check(loads, load, source, page_node);
    struct samples_row row = samples_row(load->is_store ? RECORDING_KIND_STORE : RECORDING_KIND_LOAD, load->event,
                                         tasks_time(loads->tasks, load->time), load->thread, load->weight);
    row.cpu = load->cpu;
    row.stack = load->stack;
    row.address = (int64_t)load->address;
    row.block = objects_block(loads->objects, load->process, load->address, load->time, load->found);
    row.page_node = page_node >= 0 ? page_node : RECORDING_NULL;
    row.source = source != LOAD_UNKNOWN ? (int64_t)source : RECORDING_NULL;
    row.latency = load->latency > 0 ? (int64_t)load->latency : RECORDING_NULL;
    objects_has_row(loads->objects, load->found, samples_put(loads->samples, &row));
}

// The pending loads of one process, chunk by chunk.
static void loads_classify_process(struct loads *loads, struct process *process)
{
    enum { CHUNK = 512 };
    uint64_t addresses[CHUNK];
    struct loads_pending *chunk[CHUNK];
    int32_t page_nodes[CHUNK];
    for (size_t i = 0; i < loads->pending_count;) {
        size_t n = 0;
        for (; i < loads->pending_count && n < CHUNK; i++) {
            if (loads->pending[i].process != process)
                continue;
            chunk[n] = &loads->pending[i];
            addresses[n++] = loads->pending[i].address;
        }
        pages_state_query(process->shown, addresses, n, page_nodes);
        for (size_t k = 0; k < n; k++) {
            loads_record(loads, chunk[k], page_nodes[k]);
            chunk[k]->process = NULL;
        }
    }
}

void loads_classify(struct loads *loads)
{
    for (size_t i = 0; i < loads->pending_count; i++)
        if (loads->pending[i].process)
            loads_classify_process(loads, loads->pending[i].process);
    loads->pending_count = 0;
}
