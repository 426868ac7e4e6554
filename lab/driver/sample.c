// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples: from the hardware's records to perf's. The instruction pointer and the data are always those of the access.
 * An urgent event interrupts at each sample, within the block of instructions of the access: registers, stack and time
 * are those of a few instructions later, as with one-record PEBS. The samples of other events wait in the hardware
 * until the task leaves the CPU or the buffer fills: their time is that of the fetching, as with many-record PEBS.
 */
#include "driver.h"

#include <asm/nmi.h>
#include <linux/sched/task_stack.h>

/* What a sample that waits could not tell truly. */
#define LAB_SAMPLE_NOW \
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_STACK_USER | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_CGROUP)

bool lab_sample_urgent(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	bool task = event->attach_state & PERF_ATTACH_TASK;

	/* An inherited event may pass from task to task without being stopped. */
	return attr->freq || attr->inherit || !task || (attr->sample_type & LAB_SAMPLE_NOW);
}

static bool lab_sample_in_user(const struct lab_record *record)
{
	return (s64)record->ip >= 0;
}

/* Registers to find the stack with: those interrupted, if the CPU was still on the side of the access. */
static void lab_sample_registers(const struct lab_record *record, struct pt_regs *interrupted, struct pt_regs *found)
{
	bool user = lab_sample_in_user(record);

	if (interrupted && user_mode(interrupted) == user) {
		*found = *interrupted;
	} else if (user && current->mm) {
		*found = *task_pt_regs(current);
	} else {
		memset(found, 0, sizeof(*found));
		found->ip = record->ip;
		found->cs = user ? __USER_CS : __KERNEL_CS;
	}
}

static void lab_sample_telling(const struct perf_event *event, const struct lab_record *record,
                               struct perf_sample_data *data)
{
	const struct lab_program *program = event->pmu_private;

	if (program->telling == LAB_TELLS_TAGGED ? record->store == LAB_RECORD_NEITHER :
						   !event->attr.precise_ip || program->telling == LAB_TELLS_NOTHING)
		return;
	data->addr = record->address;
	data->sample_flags |= PERF_SAMPLE_ADDR;
	data->data_src.val = PERF_MEM_NA;
	if (program->telling == LAB_TELLS_SOURCE || program->telling == LAB_TELLS_TAGGED) {
		data->data_src.val = lab_dialect->source(record);
		/* Tagged ones tell how long a miss took. */
		data->weight.full = program->telling == LAB_TELLS_TAGGED && record->outcome == LAB_OWN ? 0 : record->latency;
		data->sample_flags |= PERF_SAMPLE_WEIGHT_TYPE;
	} else {
		data->data_src.mem_op = program->telling == LAB_TELLS_STORE ? PERF_MEM_OP_STORE : PERF_MEM_OP_LOAD;
	}
	data->sample_flags |= PERF_SAMPLE_DATA_SRC;
}

/* `last`: of this event for now. Only this one goes through the core's accounting of interrupts, as with PEBS. */
static void lab_sample_deliver(struct perf_event *event, const struct lab_record *record, struct pt_regs *interrupted,
                               bool last)
{
	struct perf_sample_data data;
	struct pt_regs registers;

	if (!is_sampling_event(event))
		return;
	perf_sample_data_init(&data, 0, event->hw.last_period);
	lab_sample_telling(event, record, &data);
	lab_sample_registers(record, interrupted, &registers);
	if (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		data.callchain = lab_kernel.callchain(event, &registers);
		data.sample_flags |= PERF_SAMPLE_CALLCHAIN;
	}
	registers.ip = record->ip;
	if (!interrupted || !last)
		event->overflow_handler(event, &data, &registers);
	else if (lab_kernel.overflow(event, &data, &registers))
		event->pmu->stop(event, 0);
}

static bool lab_sample_is_last(const struct lab_cpu *hardware, u64 at)
{
	u8 slot = hardware->records[at % LAB_RECORDS].slot;

	for (at++; at != hardware->head; at++)
		if (hardware->records[at % LAB_RECORDS].slot == slot)
			return false;
	return true;
}

static void lab_sample_lost(struct lab_pmu_cpu *state)
{
	unsigned int i;

	for (i = 0; i < LAB_SLOTS; i++) {
		struct lab_slot *slot = &state->hardware->slots[i];

		if (slot->lost && state->events[i])
			lab_kernel.log_lost(state->events[i], slot->lost);
		slot->lost = 0;
	}
}

/* A frequency event gets its new period after each sample. */
static void lab_sample_new_period(struct lab_slot *slot, struct perf_event *event)
{
	if (!event->attr.freq || slot->period == event->hw.sample_period)
		return;
	slot->period = event->hw.sample_period;
	slot->left = event->hw.sample_period;
	event->hw.last_period = event->hw.sample_period;
}

void lab_sample_drain(struct pt_regs *interrupted)
{
	struct lab_pmu_cpu *state = this_cpu_ptr(&lab_pmu_cpu);
	struct lab_cpu *hardware = state->hardware;
	u32 running = READ_ONCE(hardware->running);

	if (state->draining)
		return; /* the interrupt came into a drain: that one will find these records too */
	state->draining = true;
	WRITE_ONCE(hardware->running, 0);
	barrier();
	while (READ_ONCE(hardware->tail) != READ_ONCE(hardware->head)) {
		u64 at = hardware->tail;
		const struct lab_record record = hardware->records[at % LAB_RECORDS];
		struct perf_event *event = state->events[record.slot];
		bool last = lab_sample_is_last(hardware, at);

		WRITE_ONCE(hardware->tail, at + 1);
		if (!event)
			continue;
		lab_sample_deliver(event, &record, interrupted, last);
		lab_sample_new_period(&hardware->slots[record.slot], event);
	}
	lab_sample_lost(state);
	barrier();
	WRITE_ONCE(hardware->running, running);
	state->draining = false;
}

static int lab_sample_interrupt(unsigned int type, struct pt_regs *registers)
{
	struct lab_pmu_cpu *state = this_cpu_ptr(&lab_pmu_cpu);

	if (!READ_ONCE(state->hardware->interrupt))
		return NMI_DONE;
	WRITE_ONCE(state->hardware->interrupt, 0);
	lab_sample_drain(registers);
	return NMI_HANDLED;
}

int lab_sample_init(void)
{
	return register_nmi_handler(NMI_LOCAL, lab_sample_interrupt, 0, "numaprof-lab");
}

void lab_sample_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "numaprof-lab");
}
