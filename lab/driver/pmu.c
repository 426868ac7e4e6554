// SPDX-License-Identifier: GPL-2.0-or-later
/* The PMU as the perf core sees it: events onto counters and offcore-response registers, start, stop, read. */
#include "driver.h"

#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

DEFINE_PER_CPU(struct lab_pmu_cpu, lab_pmu_cpu);
bool lab_cloud;

static struct pmu lab_pmu;

/* Simulated is what open events need, and for a while after: switching costs more than a second of it. */
enum { LAB_PMU_LINGER_SECONDS = 20 };
static atomic_t lab_pmu_events = ATOMIC_INIT(0), lab_pmu_block_events = ATOMIC_INIT(0);

static bool lab_pmu_counts_blocks(const struct lab_program *program)
{
	return program->unit >= LAB_UNIT_INSTRUCTIONS;
}

static int lab_pmu_simulate(void)
{
	if (atomic_read(&lab_pmu_block_events))
		return lab_device_simulate(LAB_SIMULATE_ALL);
	return lab_device_simulate(atomic_read(&lab_pmu_events) ? LAB_SIMULATE_MEMORY : LAB_SIMULATE_NOTHING);
}

static void lab_pmu_rest(struct work_struct *work)
{
	lab_pmu_simulate();
}
static DECLARE_DELAYED_WORK(lab_pmu_rest_work, lab_pmu_rest);

static void lab_pmu_detach(struct perf_event *event)
{
	bool rest = lab_pmu_counts_blocks(event->pmu_private) && atomic_dec_and_test(&lab_pmu_block_events);

	rest |= atomic_dec_and_test(&lab_pmu_events);
	if (rest)
		mod_delayed_work(system_wq, &lab_pmu_rest_work, LAB_PMU_LINGER_SECONDS * HZ);
}

static void lab_pmu_destroy(struct perf_event *event)
{
	lab_pmu_detach(event);
	kfree(event->pmu_private);
}

/* Which counter and which offcore-response register are free for the program; -EAGAIN: none. */

static int lab_pmu_free_counter(struct perf_event *const *events, const struct lab_program *program)
{
	unsigned int i, fixed = lab_dialect->counters;

	if (program->telling == LAB_TELLS_TAGGED)
		return events[LAB_SLOTS - 1] ? -EAGAIN : LAB_SLOTS - 1; /* beside the counters */
	if (program->reference)
		return events[fixed + 2] ? -EAGAIN : (int)fixed + 2;
	if (lab_dialect->fixed && program->unit == LAB_UNIT_INSTRUCTIONS && !events[fixed])
		return fixed;
	if (lab_dialect->fixed && program->unit == LAB_UNIT_CYCLES && !events[fixed + 1])
		return fixed + 1;
	/* From the last one down: the first ones are all that an offcore event may have. */
	for (i = program->offcore ? lab_dialect->offcore_counters : lab_dialect->counters; i > 0; i--)
		if (!events[i - 1])
			return i - 1;
	return -EAGAIN;
}

static int lab_pmu_free_register(const struct lab_pmu_cpu *state, const struct lab_program *program)
{
	unsigned int i;

	if (!program->offcore)
		return 0;
	for (i = 0; i < lab_dialect->offcore_registers; i++)
		if (state->offcore_users[i] && state->offcore_config[i] == program->offcore_config)
			return i;
	for (i = 0; i < lab_dialect->offcore_registers; i++)
		if (!state->offcore_users[i])
			return i;
	return -EAGAIN;
}

static int lab_pmu_assign(struct lab_pmu_cpu *state, struct perf_event *event)
{
	const struct lab_program *program = event->pmu_private;
	int counter = lab_pmu_free_counter(state->events, program);
	int offcore = lab_pmu_free_register(state, program);

	if (counter < 0 || offcore < 0)
		return -EAGAIN;
	state->events[counter] = event;
	if (program->offcore) {
		state->offcore_config[offcore] = program->offcore_config;
		state->offcore_users[offcore]++;
	}
	return counter;
}

static void lab_pmu_unassign(struct lab_pmu_cpu *state, int counter)
{
	const struct lab_program *program = state->events[counter]->pmu_private;
	unsigned int i;

	state->events[counter] = NULL;
	if (!program->offcore)
		return;
	for (i = 0; i < lab_dialect->offcore_registers; i++)
		if (state->offcore_users[i] && state->offcore_config[i] == program->offcore_config) {
			state->offcore_users[i]--;
			return;
		}
}

/* A group that can never be on the counters together is refused when it is opened. */
static int lab_pmu_check_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct lab_pmu_cpu *empty = kzalloc(sizeof(*empty), GFP_KERNEL);
	int counter = 0;

	if (!empty)
		return -ENOMEM;
	if (leader->pmu == &lab_pmu)
		counter = lab_pmu_assign(empty, leader);
	for_each_sibling_event(sibling, leader)
		if (sibling->pmu == &lab_pmu && counter >= 0)
			counter = lab_pmu_assign(empty, sibling);
	if (event != leader && counter >= 0)
		counter = lab_pmu_assign(empty, event);
	kfree(empty);
	return counter < 0 ? -EINVAL : 0;
}

/* The raw numbers that an event of any type stands for. */
static int lab_pmu_raw_numbers(const struct perf_event_attr *attr, u64 *config, u64 *config1)
{
	/* The kernel sets these itself; what a program says there is not looked at. */
	const u64 own = ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_PIN_CONTROL |
			ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE;

	*config = attr->config;
	*config1 = attr->config1;
	switch (attr->type) {
	case PERF_TYPE_RAW:
		*config &= ~own;
		return 0;
	case PERF_TYPE_HARDWARE:
		*config1 = 0;
		return lab_dialect->hardware(attr->config, config);
	case PERF_TYPE_HW_CACHE:
		return lab_dialect->cache(attr->config & 0xff, attr->config >> 8 & 0xff, attr->config >> 16 & 0xff, config, config1);
	default:
		return -ENOENT;
	}
}

static int lab_pmu_program(const struct perf_event *event, struct lab_program *program)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 config, config1;
	int error = lab_pmu_raw_numbers(attr, &config, &config1);

	if (error)
		return error;
	program->levels = (attr->exclude_user ? 0 : LAB_BIT(LAB_USER)) | (attr->exclude_kernel ? 0 : LAB_BIT(LAB_KERNEL));
	error = lab_dialect->raw(config, config1, program);
	if (error)
		return error;
	lab_defect_apply(program);
	if (lab_cloud && program->offcore)
		return -ENXIO; /* as the kernel when a hypervisor does not let it write the register */
	if (attr->precise_ip > (lab_cloud ? 0 : lab_dialect->max_precise))
		return -EOPNOTSUPP;
	if (attr->precise_ip && !program->precise)
		return -EINVAL;
	return lab_dialect->check ? lab_dialect->check(event, program) : 0;
}

int lab_pmu_attach(struct perf_event *event, struct lab_program *program)
{
	int error = 0;

	event->pmu_private = program;
	atomic_inc(&lab_pmu_events);
	if (lab_pmu_counts_blocks(program))
		atomic_inc(&lab_pmu_block_events);
	event->hw.idx = -1;
	if (READ_ONCE(lab_shared->simulating) < (lab_pmu_counts_blocks(program) ? LAB_SIMULATE_ALL : LAB_SIMULATE_MEMORY))
		error = lab_pmu_simulate();
	if (error)
		lab_pmu_detach(event);
	else
		event->destroy = lab_pmu_destroy;
	return error;
}

static int lab_pmu_event_init(struct perf_event *event)
{
	struct lab_program *program;
	int error;

	if (event->attr.type != PERF_TYPE_RAW && event->attr.type != PERF_TYPE_HARDWARE &&
		event->attr.type != PERF_TYPE_HW_CACHE)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	program = kzalloc(sizeof(*program), GFP_KERNEL);
	if (!program)
		return -ENOMEM;
	error = lab_pmu_program(event, program);
	if (error)
		goto free;
	event->pmu_private = program;
	error = lab_pmu_check_group(event);
	if (error)
		goto free;
	error = lab_pmu_attach(event, program);
	if (error)
		goto free;
	return 0;
free:
	event->pmu_private = NULL;
	kfree(program);
	return error;
}

static struct lab_slot *lab_pmu_slot(const struct perf_event *event)
{
	return &this_cpu_ptr(&lab_pmu_cpu)->hardware->slots[event->hw.idx];
}

static u64 lab_pmu_count(const struct perf_event *event)
{
	return READ_ONCE(lab_pmu_slot(event)->count) + lab_defect_offset(event->pmu_private);
}

void lab_pmu_read(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	u64 now, before;

	do {
		before = local64_read(&hw->prev_count);
		now = lab_pmu_count(event);
	} while (local64_cmpxchg(&hw->prev_count, before, now) != before);
	local64_add(now - before, &event->count);
}

/* What the hardware must not pass by on its fast path. */
static void lab_pmu_watch(struct lab_pmu_cpu *state)
{
	u32 watch = 0, active = state->hardware->active;
	unsigned int i;

	for (i = 0; i < LAB_SLOTS; i++) {
		const struct lab_slot *slot = &state->hardware->slots[i];

		if (!(active & LAB_BIT(i)))
			continue;
		switch (slot->unit) {
		case LAB_UNIT_LOADS:
			watch |= slot->outcomes & LAB_BIT(LAB_OWN) ? LAB_WATCH_LOADS : 0;
			break;
		case LAB_UNIT_SLOW_LOADS:
			watch |= slot->threshold <= LAB_LATENCY_OWN ? LAB_WATCH_LOADS : 0;
			break;
		case LAB_UNIT_STORES:
			watch |= LAB_WATCH_STORES;
			break;
		case LAB_UNIT_INSTRUCTIONS:
		case LAB_UNIT_CYCLES:
		case LAB_UNIT_TAG_INSTRUCTIONS:
		case LAB_UNIT_TAG_CYCLES:
			watch |= LAB_WATCH_BLOCKS;
			break;
		default:
			break;
		}
	}
	lab_device_watch(state->hardware, watch);
}

static void lab_pmu_set_period(struct perf_event *event, struct lab_slot *slot)
{
	struct hw_perf_event *hw = &event->hw;
	s64 left = local64_read(&hw->period_left), period = is_sampling_event(event) ? hw->sample_period : 0;

	if (left <= 0 || left > period)
		left = period;
	hw->last_period = period;
	slot->period = period;
	slot->left = left;
	slot->urgent = lab_sample_urgent(event);
}

void lab_pmu_start(struct perf_event *event, int flags)
{
	struct lab_pmu_cpu *state = this_cpu_ptr(&lab_pmu_cpu);

	if (WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)) || event->hw.idx < 0)
		return;
	event->hw.state = 0;
	lab_pmu_set_period(event, lab_pmu_slot(event));
	local64_set(&event->hw.prev_count, lab_pmu_count(event));
	WRITE_ONCE(state->hardware->active, state->hardware->active | LAB_BIT(event->hw.idx));
	lab_pmu_watch(state);
	perf_event_update_userpage(event);
}

void lab_pmu_stop(struct perf_event *event, int flags)
{
	struct lab_pmu_cpu *state = this_cpu_ptr(&lab_pmu_cpu);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	WRITE_ONCE(state->hardware->active, state->hardware->active & ~LAB_BIT(event->hw.idx));
	lab_pmu_watch(state);
	event->hw.state |= PERF_HES_STOPPED;
	if (is_sampling_event(event))
		local64_set(&event->hw.period_left, lab_pmu_slot(event)->left);
	lab_pmu_read(event);
	event->hw.state |= PERF_HES_UPTODATE;
}

int lab_pmu_add(struct perf_event *event, int flags)
{
	struct lab_pmu_cpu *state = this_cpu_ptr(&lab_pmu_cpu);
	const struct lab_program *program = event->pmu_private;
	int counter = lab_pmu_assign(state, event);
	struct lab_slot *slot;

	if (counter < 0)
		return counter;
	event->hw.idx = counter;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	slot = lab_pmu_slot(event);
	slot->unit = program->unit;
	slot->levels = program->levels;
	slot->classes = program->classes;
	slot->outcomes = program->outcomes;
	slot->threshold = program->threshold;
	slot->extra = program->extra;
	if (flags & PERF_EF_START)
		lab_pmu_start(event, 0);
	return 0;
}

void lab_pmu_del(struct perf_event *event, int flags)
{
	struct lab_pmu_cpu *state = this_cpu_ptr(&lab_pmu_cpu);

	lab_pmu_stop(event, PERF_EF_UPDATE);
	lab_sample_drain(NULL);
	lab_pmu_unassign(state, event->hw.idx);
	event->hw.idx = -1;
	perf_event_update_userpage(event);
}

static void lab_pmu_enable(struct pmu *pmu)
{
	WRITE_ONCE(this_cpu_ptr(&lab_pmu_cpu)->hardware->running, 1);
}

static void lab_pmu_disable(struct pmu *pmu)
{
	WRITE_ONCE(this_cpu_ptr(&lab_pmu_cpu)->hardware->running, 0);
}

static ssize_t max_precise_show(struct device *device, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%u\n", lab_cloud ? 0 : lab_dialect->max_precise);
}
static DEVICE_ATTR_RO(max_precise);

static ssize_t pmu_name_show(struct device *device, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%s\n", lab_dialect->name);
}
static DEVICE_ATTR_RO(pmu_name);

static struct attribute *lab_pmu_caps[] = { &dev_attr_max_precise.attr, &dev_attr_pmu_name.attr, NULL };
const struct attribute_group lab_pmu_caps_group = { .name = "caps", .attrs = lab_pmu_caps };

static struct pmu lab_pmu = {
	.hrtimer_interval_ms = 1, /* turns as short as they get: programs here do little in the kernel's usual four */
	.module = THIS_MODULE,
	.task_ctx_nr = perf_hw_context,
	.pmu_enable = lab_pmu_enable,
	.pmu_disable = lab_pmu_disable,
	.event_init = lab_pmu_event_init,
	.add = lab_pmu_add,
	.del = lab_pmu_del,
	.start = lab_pmu_start,
	.stop = lab_pmu_stop,
	.read = lab_pmu_read,
	/* Types other than raw go to the PMU of that number, where it has this. */
	.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE,
};

int lab_pmu_register(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		per_cpu(lab_pmu_cpu, cpu).hardware = lab_device_cpu(cpu);
	lab_pmu.attr_groups = lab_dialect->groups;
	return perf_pmu_register(&lab_pmu, "cpu", PERF_TYPE_RAW);
}

void lab_pmu_unregister(void)
{
	perf_pmu_unregister(&lab_pmu);
	cancel_delayed_work_sync(&lab_pmu_rest_work);
}
