// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/import_samples.h"

#include "collectors/perf/perf_event.h"
#include "profiler/import/import_events.h"

// --- events

bool import_samples_is_fault(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_PAGE_FAULTS || attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
            attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

// Whether samples of the event can have the address of a memory access.
static bool import_samples_is_memory(const struct perf_file_event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    if (!(attr->sample_type & PERF_SAMPLE_ADDR))
        return false;
    if (import_events_source(event) != LOAD_UNKNOWN)
        return true;
    if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT || attr->type == PERF_TYPE_BREAKPOINT)
        return import_samples_is_fault(attr);
    return attr->sample_type & PERF_SAMPLE_DATA_SRC;
}

// Events that one sample stands for. perf records the period wherever it may vary.
static uint64_t import_samples_weight(const struct perf_file_event *event, const struct perf_sample *sample)
{
    if (event->layout.sample_type & PERF_SAMPLE_PERIOD)
        return sample->period;
    return event->attr.freq || event->attr.sample_period == 0 ? 1 : event->attr.sample_period;
}

static void import_samples_write_event(struct import_samples *import, struct perf_file_event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    const struct perf_features *features = &import->file->features;
    const size_t index = (size_t)(event - import->file->events);
    const bool is_known = attr->type != PERF_FILE_NAMED;
    const bool is_fault = import_samples_is_fault(attr), is_overflow = !is_fault && import_events_is_remote(event);
    const char *name = index < features->event_count ? features->event_names[index] : "";
    event->row = (int64_t)index + 1;
    RECORD(import->samples->queue, RECORDING_EVENT, RECORD_NUMBER(event->row),
           RECORD_TEXT(is_fault ? "faults" : "samples"),
           RECORD_TEXT(*name ? name : is_fault ? "page-faults" : "memory accesses"),
           RECORD_TEXT(is_fault ? "fault" : is_overflow ? event->known->class : "load"),
           RECORD_TEXT(is_overflow ? event->known->placement : ""), is_known ? RECORD_NUMBER(attr->type) : RECORD_NULL,
           is_known ? RECORD_NUMBER((int64_t)attr->config) : RECORD_NULL,
           is_known ? RECORD_NUMBER((int64_t)attr->config1) : RECORD_NULL, RECORD_NUMBER(attr->exclude_kernel),
           RECORD_NULL, attr->freq || !is_known ? RECORD_NULL : RECORD_NUMBER((int64_t)attr->sample_period),
           RECORD_NULL);
}

// --- page faults of two events

// Whether every page fault of one event is one of the other too.
static bool import_samples_is_within(const struct perf_event_attr *one, const struct perf_event_attr *other)
{
    return import_samples_is_fault(other) && (other->sample_type & PERF_SAMPLE_ADDR) &&
           (other->config == PERF_COUNT_SW_PAGE_FAULTS || other->config == one->config) &&
           other->exclude_user <= one->exclude_user && other->exclude_kernel <= one->exclude_kernel &&
           other->exclude_hv <= one->exclude_hv && other->exclude_guest <= one->exclude_guest &&
           other->exclude_host <= one->exclude_host;
}

// Whether an event that was seen before samples the page faults of this one. An event without samples covers none: the
// kernel may give them the id of another.
static bool import_samples_is_covered(struct import_samples *import, struct perf_file_event *event)
{
    const struct perf_file *file = import->file;
    for (size_t i = 0; i < file->event_count && event->compared != import->fault_events; i++)
        event->is_covered |= file->events[i].counts && &file->events[i] != event &&
                             import_samples_is_within(&event->attr, &file->events[i].attr);
    event->compared = import->fault_events;
    if (event->is_covered || event->counts)
        return event->is_covered;
    event->counts = true;
    event->compared = ++import->fault_events;
    return false;
}

static bool import_samples_has_two_fault_events(const struct perf_file *file)
{
    size_t count = 0;
    for (size_t i = 0; i < file->event_count; i++)
        count += import_samples_is_fault(&file->events[i].attr);
    return count > 1;
}

// Newer kernels (6.18 does) give the samples of two such events one time and one id. Two samples of the only such event
// are two faults, whatever their times: a clock may stand still.
static bool import_samples_repeats(const struct perf_file *file, struct import_thread *thread,
                                   const struct perf_sample *sample)
{
    const bool repeats = sample->time != 0 && thread->fault_time == sample->time &&
                         thread->fault_address == sample->address && import_samples_has_two_fault_events(file);
    thread->fault_time = sample->time;
    thread->fault_address = sample->address;
    return repeats;
}

// --- what a sample says

// The kernel has the upper half of the address space on every supported architecture.
static bool import_samples_is_of_kernel(uint64_t address)
{
    return address >> 63;
}

static bool import_samples_is_foreign(const struct perf_event_header *header)
{
    const unsigned mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    return mode == PERF_RECORD_MISC_HYPERVISOR || mode == PERF_RECORD_MISC_GUEST_KERNEL ||
           mode == PERF_RECORD_MISC_GUEST_USER;
}

// IBS samples all operations; those that are neither load nor store have no data address.
static bool import_samples_has_address(const struct perf_file_event *event, const struct perf_sample *sample)
{
    const union perf_mem_data_src source = {.val = sample->source};
    if (sample->address == 0)
        return false;
    return import_samples_is_fault(&event->attr) || import_events_source(event) != LOAD_UNKNOWN ||
           source.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE);
}

// -1: not known. A file without PERF_SAMPLE_CPU may name the CPU that the event was opened on.
static int import_samples_cpu(const struct import_samples *import, const struct perf_file_event *event,
                              const struct perf_sample *sample)
{
    uint64_t cpu = sample->cpu;
    if (!(event->layout.sample_type & PERF_SAMPLE_CPU) && !table_get(&import->file->cpu_of_id, sample->id, &cpu))
        return -1;
    return cpu < PERF_FEATURES_CPUS ? (int)cpu : -1;
}

// Keeps the user part of the call chain; without a user part, the instruction.
static void import_samples_cut_chain(struct perf_sample *sample)
{
    for (uint64_t i = 0; i < sample->chain_count; i++) {
        if (sample->chain[i] != PERF_CONTEXT_USER)
            continue;
        sample->chain += i + 1;
        sample->chain_count -= i + 1;
        return;
    }
    sample->chain_count = 0;
    if (sample->in_kernel)
        return;
    sample->chain = &sample->ip;
    sample->chain_count = sample->ip != 0;
}

static int64_t import_samples_stack(const struct import_samples *import, const struct perf_file_event *event,
                                    const struct import_thread *thread, struct perf_sample *sample)
{
    import_samples_cut_chain(sample);
    if (!import->unwinds || event->layout.regs_user != PERF_EVENT_REGS_USER)
        sample->regs = NULL;
    return stack_walk_sample(import->walk, &thread->process->process, sample);
}

// --- node and source

// A node of the same package counts as local: CPUs split into clusters report it so.
static bool import_samples_is_near(const struct topology *topology, const struct topology_cpu *cpu, int node)
{
    const struct topology_node *there = topology_node(topology, node);
    return node == cpu->node || (there && cpu->package >= 0 && there->package == cpu->package);
}

// Compares a local or remote DRAM source with the node of the page. They contradict each other if the page has moved
// since, or if the CPU reports the source wrongly.
static void import_samples_check(struct import_samples *import, int cpu_number, enum load_source source, int page_node)
{
    const struct topology_cpu *cpu = topology_cpu(import->topology, cpu_number);
    if (page_node < 0 || !cpu || cpu->node < 0 || (source != LOAD_LOCAL_DRAM && source != LOAD_REMOTE_DRAM))
        return;
    import->checked++;
    import->contradicted += source == LOAD_LOCAL_DRAM ? !import_samples_is_near(import->topology, cpu, page_node)
                                                      : page_node == cpu->node;
}

static enum load_source import_samples_source(const struct import_samples *import, const struct perf_file_event *event,
                                              uint64_t data_src, int page_node)
{
    const enum load_source of_event = import_events_source(event);
    const enum load_source source = of_event != LOAD_UNKNOWN ? of_event : load_source_of(data_src);
    const bool is_memory = source == LOAD_LOCAL_DRAM || source == LOAD_REMOTE_DRAM;
    return is_memory && page_node >= 0 && topology_is_slow_tier(import->topology, page_node) ? LOAD_SLOW_TIER : source;
}

static int import_samples_kind(bool is_fault, uint64_t data_src)
{
    const union perf_mem_data_src source = {.val = data_src};
    if (is_fault)
        return RECORDING_KIND_FAULT;
    return source.mem_op & PERF_MEM_OP_STORE ? RECORDING_KIND_STORE : RECORDING_KIND_LOAD;
}

static void import_samples_count(struct import_samples *import, const struct samples_row *row, uint64_t time)
{
    import->taken++;
    import->with_cpu += row->cpu != RECORDING_NULL;
    import->with_node += row->page_node != RECORDING_NULL && row->kind != RECORDING_KIND_FAULT;
    import->with_source += row->source != RECORDING_NULL;
    import->with_latency += row->latency != RECORDING_NULL;
    import->with_stack += row->stack != RECORDING_NULL;
    import->latest = time > import->latest ? time : import->latest;
}

// Whether every fault of the program was recorded from its start, and no page is shared with a parent or a child.
static bool import_samples_may_place(const struct perf_file_event *event, const struct import_thread *thread,
                                     uint64_t address)
{
    const struct process *process = &thread->process->process;
    return !event->attr.freq && event->attr.sample_period == 1 && thread->process->from_start && !process->forked &&
           !process->has_forked && import_faults_may_place(address_space_find(&process->space, address));
}

// Instruction and time of a remote request, without its address.
static void import_samples_put_overflow(struct import_samples *import, struct perf_file_event *event,
                                        struct import_thread *thread, struct perf_sample *sample)
{
    const int cpu = import_samples_cpu(import, event, sample);
    struct samples_row row = samples_row(RECORDING_KIND_OVERFLOW, event->row,
                                         tasks_time(import->tasks->tasks, sample->time), thread->id,
                                         import_samples_weight(event, sample));
    row.cpu = cpu >= 0 ? cpu : RECORDING_NULL;
    row.stack = import_samples_stack(import, event, thread, sample);
    import->overflows++;
    samples_put(import->samples, &row);
    import_samples_count(import, &row, sample->time);
}

static void import_samples_put(struct import_samples *import, struct perf_file_event *event,
                               struct import_thread *thread, struct perf_sample *sample)
{
    static const struct objects_found nothing = {.block = RECORDING_NULL};
    const bool is_fault = import_samples_is_fault(&event->attr);
    const int cpu = import_samples_cpu(import, event, sample);
    const int page_node = perf_features_node_of(&import->file->features, sample->physical);
    const enum load_source source =
        is_fault ? LOAD_UNKNOWN : import_samples_source(import, event, sample->source, page_node);
    // The upper half of PERF_SAMPLE_WEIGHT_STRUCT is another number.
    const uint32_t latency = is_fault ? 0 : (uint32_t)sample->weight;
    struct samples_row row = samples_row(import_samples_kind(is_fault, sample->source), event->row,
                                         tasks_time(import->tasks->tasks, sample->time), thread->id,
                                         import_samples_weight(event, sample));
    import_samples_check(import, cpu, source, page_node);
    row.cpu = cpu >= 0 ? cpu : RECORDING_NULL;
    row.stack = import_samples_stack(import, event, thread, sample);
    row.address = (int64_t)sample->address;
    row.block = objects_block(import->objects, &thread->process->process, sample->address, sample->time, nothing);
    row.page_node = page_node >= 0 ? page_node : RECORDING_NULL;
    row.source = source != LOAD_UNKNOWN ? (int64_t)source : RECORDING_NULL;
    row.latency = latency > 0 ? (int64_t)latency : RECORDING_NULL;
    import->faults += is_fault;
    import->fault_weight += is_fault ? (uint64_t)row.weight : 0;
    if (is_fault && import_samples_may_place(event, thread, sample->address))
        import_faults_add(import->page_faults, &row, thread->process->process.id,
                          address_space_find(&thread->process->process.space, sample->address));
    else
        samples_put(import->samples, &row);
    import_samples_count(import, &row, sample->time);
}

void import_samples_take(struct import_samples *import, struct perf_file_event *event,
                         const struct perf_event_header *header)
{
    struct perf_sample sample;
    event->samples++;
    if (import_samples_is_foreign(header)) {
        import->foreign++;
        return;
    }
    const bool is_memory = import_samples_is_memory(event);
    const bool is_fault = is_memory && import_samples_is_fault(&event->attr);
    if (!is_memory && !import_events_is_remote(event)) {
        import->no_memory++;
        return;
    }
    if (is_fault && import_samples_is_covered(import, event)) {
        import->repeated++;
        return;
    }
    if (perf_record_sample(header, &event->layout, &sample) < 0) {
        import->malformed++;
        return;
    }
    const bool has_address = is_memory && import_samples_has_address(event, &sample);
    if (!has_address && !import_events_is_remote(event)) {
        import->no_memory++;
        return;
    }
    if (has_address && import_samples_is_of_kernel(sample.address)) {
        import->kernel_addresses++;
        return;
    }
    struct import_thread *thread =
        sample.tid == UINT32_MAX ? NULL : import_tasks_of_sample(import->tasks, sample.pid, sample.tid, sample.time);
    if (!thread) {
        import->unmatched++;
        return;
    }
    if (is_fault && import_samples_repeats(import->file, thread, &sample)) {
        import->repeated++;
        return;
    }
    if (event->row == 0)
        import_samples_write_event(import, event);
    if (has_address)
        import_samples_put(import, event, thread, &sample);
    else
        import_samples_put_overflow(import, event, thread, &sample);
}
