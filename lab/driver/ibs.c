// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instruction-based sampling as Linux 6.1 offers it: a PMU "ibs_op" that samples CPUs, not tasks, and takes no exclude
 * bit. It tags every n-th cycle's or (cnt_ctl) every n-th instruction; a sample has an address only if that one
 * accessed memory. Rules and encodings: arch/x86/events/amd/ibs.c, by what it accepts and what it writes.
 */
#include "driver.h"

#include <linux/slab.h>

enum { LAB_IBS_PERIOD_STEP = 16 };
#define LAB_IBS_CNT_CTL (1ull << 19)

static struct pmu lab_ibs;

static int lab_ibs_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct lab_program *program;
	int error;

	if (attr->type != lab_ibs.type)
		return -ENOENT;
	if ((attr->config & ~LAB_IBS_CNT_CTL) || !is_sampling_event(event) || has_branch_stack(event))
		return -EINVAL; /* a period within config is not emulated */
	if (!attr->freq && attr->sample_period % LAB_IBS_PERIOD_STEP)
		return -EINVAL;
	program = kzalloc(sizeof(*program), GFP_KERNEL);
	if (!program)
		return -ENOMEM;
	program->unit = attr->config & LAB_IBS_CNT_CTL ? LAB_UNIT_TAG_INSTRUCTIONS : LAB_UNIT_TAG_CYCLES;
	program->levels = LAB_BIT(LAB_USER) | LAB_BIT(LAB_KERNEL);
	program->telling = LAB_TELLS_TAGGED;
	error = lab_pmu_attach(event, program);
	if (error)
		kfree(program);
	return error;
}

PMU_FORMAT_ATTR(cnt_ctl, "config:19");
static struct attribute *lab_ibs_formats[] = { &format_attr_cnt_ctl.attr, NULL };
static const struct attribute_group lab_ibs_format_group = { .name = "format", .attrs = lab_ibs_formats };
static const struct attribute_group *lab_ibs_groups[] = { &lab_ibs_format_group, NULL };

static struct pmu lab_ibs = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.attr_groups = lab_ibs_groups,
	.event_init = lab_ibs_event_init,
	.add = lab_pmu_add,
	.del = lab_pmu_del,
	.start = lab_pmu_start,
	.stop = lab_pmu_stop,
	.read = lab_pmu_read,
	.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
};

int lab_ibs_register(void)
{
	return lab_dialect->tags ? perf_pmu_register(&lab_ibs, "ibs_op", -1) : 0;
}

void lab_ibs_unregister(void)
{
	if (lab_dialect->tags)
		perf_pmu_unregister(&lab_ibs);
}
