// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Defects: events that count what their description does not say, as processors' errata list them. A tool that proves
 * counters must find each. The module parameter `defects` holds EVENTS:PLACEMENT:KIND, separated by commas.
 */
#include "driver.h"

#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/topology.h>

enum { LAB_DEFECTS = 8, LAB_DEFECT_TEXT = 256 };

static struct lab_defect {
	const struct lab_defect_events {
		const char *name;
		u32 unit, classes;
	} *events;
	bool remote;
	enum lab_defect_kind { LAB_DEFECT_NOTHING, LAB_DEFECT_DOUBLE, LAB_DEFECT_REMOTE, LAB_DEFECT_LOCAL,
		LAB_DEFECT_SIBLING, LAB_DEFECT_PACKAGE } kind;
} lab_defects[LAB_DEFECTS];
static unsigned int lab_defect_count;

static char *lab_defect_text;
module_param_named(defects, lab_defect_text, charp, 0444);
MODULE_PARM_DESC(defects, "events that count wrongly: EVENTS:PLACEMENT:KIND, separated by commas");

static const struct lab_defect_events lab_defect_events[] = {
	{ "requests", LAB_UNIT_REQUESTS, LAB_BIT(LAB_CLASSES) - 1 },
	{ "demand", LAB_UNIT_REQUESTS, LAB_DEMAND | LAB_BIT(LAB_FETCH) },
	{ "rfo", LAB_UNIT_REQUESTS, LAB_BIT(LAB_RFO) },
	{ "prefetch", LAB_UNIT_REQUESTS, LAB_BIT(LAB_PREFETCH_READ) | LAB_BIT(LAB_PREFETCH_RFO) },
	{ "loads", LAB_UNIT_LOADS, 0 },
};
static const char *const lab_defect_placements[] = { "local", "remote" };
static const char *const lab_defect_kinds[] = { "nothing", "double", "remote-caches", "local-caches", "sibling",
	"package" };

static int lab_defect_parse(char *text, struct lab_defect *defect)
{
	const char *events = strsep(&text, ":") ?: "", *placement = strsep(&text, ":") ?: "";
	int remote = match_string(lab_defect_placements, ARRAY_SIZE(lab_defect_placements), placement);
	int kind = match_string(lab_defect_kinds, ARRAY_SIZE(lab_defect_kinds), text ?: "");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lab_defect_events); i++)
		if (strcmp(lab_defect_events[i].name, events) == 0)
			defect->events = &lab_defect_events[i];
	defect->remote = remote == 1;
	defect->kind = kind;
	return defect->events && remote >= 0 && kind >= 0 ? 0 : -EINVAL;
}

int lab_defect_init(void)
{
	char text[LAB_DEFECT_TEXT], *rest = text, *one;

	if (!lab_defect_text)
		return 0;
	if (strscpy(text, lab_defect_text, sizeof(text)) < 0)
		goto fail;
	while ((one = strsep(&rest, ",")))
		if (lab_defect_count == LAB_DEFECTS || lab_defect_parse(one, &lab_defects[lab_defect_count++]))
			goto fail;
	return 0;
fail:
	pr_err("the defects %s are not understood\n", lab_defect_text);
	return -EINVAL;
}

/* Does the event count DRAM of this placement and of no other, for these requests or loads only? */
static bool lab_defect_concerns(const struct lab_defect *defect, const struct lab_program *program)
{
	const u32 local = LAB_BIT(LAB_MEMORY + LAB_HERE), far = LAB_BIT(LAB_MEMORY + LAB_FAR);
	const u32 remote = far | LAB_BIT(LAB_MEMORY + LAB_NEAR);

	if (program->unit != defect->events->unit || (program->classes & ~defect->events->classes))
		return false;
	if (defect->remote)
		return (program->outcomes & remote) && !(program->outcomes & local);
	return (program->outcomes & local) && !(program->outcomes & far);
}

static void lab_defect_change(const struct lab_defect *defect, struct lab_program *program)
{
	const u32 near = LAB_BIT(LAB_MEMORY + LAB_NEAR);

	switch (defect->kind) {
	case LAB_DEFECT_NOTHING:
		program->outcomes = 0;
		break;
	case LAB_DEFECT_DOUBLE:
		program->extra = 1;
		break;
	case LAB_DEFECT_REMOTE:
		program->outcomes |= LAB_ALL_OUTCOMES & ~(LAB_BIT(LAB_CACHE) - 1);
		break;
	case LAB_DEFECT_LOCAL:
		program->outcomes |= LAB_BIT(LAB_HIT) | LAB_BIT(LAB_HIT_CLEAN) | LAB_BIT(LAB_HIT_MODIFIED);
		break;
	case LAB_DEFECT_SIBLING:
		program->sibling = true;
		break;
	case LAB_DEFECT_PACKAGE:
		program->outcomes = defect->remote ? program->outcomes & ~near : program->outcomes | near;
		break;
	}
}

void lab_defect_apply(struct lab_program *program)
{
	const struct lab_program sound = *program;
	unsigned int i;

	for (i = 0; i < lab_defect_count; i++)
		if (lab_defect_concerns(&lab_defects[i], &sound))
			lab_defect_change(&lab_defects[i], program);
}

static u64 lab_defect_requests(const struct lab_cpu *hardware, const struct lab_program *program)
{
	const u32 classes = program->unit == LAB_UNIT_LOADS ? LAB_BIT(LAB_READ) : program->classes;
	unsigned int level, class, outcome;
	u64 sum = 0;

	for (level = 0; level < LAB_LEVELS; level++)
		for (class = 0; class < LAB_CLASSES; class++)
			for (outcome = 0; outcome < LAB_OUTCOMES; outcome++)
				if (program->levels >> level & classes >> class & program->outcomes >> outcome & 1)
					sum += READ_ONCE(hardware->requests[level][class][outcome]);
	return sum;
}

/* The hardware's own counts are one for each CPU and never stop, so that another CPU may read them without a lock. */
u64 lab_defect_offset(const struct lab_program *program)
{
	int self = smp_processor_id(), other;
	u64 sum = 0;

	if (!program->sibling)
		return 0;
	for_each_cpu(other, topology_sibling_cpumask(self))
		if (other != self)
			sum += lab_defect_requests(lab_device_cpu(other), program);
	return sum;
}
