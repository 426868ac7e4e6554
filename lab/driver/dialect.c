// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver.h"

#include <asm/processor.h>

const struct lab_dialect *lab_dialect;

const struct lab_dialect *lab_dialect_find(void)
{
	static const struct lab_dialect *const known[] = {
		&lab_nehalem, &lab_westmere, &lab_skylake, &lab_sapphire, &lab_granite, &lab_zen3,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i]->vendor == boot_cpu_data.x86_vendor && known[i]->family == boot_cpu_data.x86 &&
		    known[i]->model == boot_cpu_data.x86_model)
			return known[i];
	return NULL;
}

struct lab_parts lab_parts_of(enum lab_outcome outcome)
{
	unsigned int place;

	if (outcome == LAB_OWN)
		return (struct lab_parts){ .answer = LAB_ANSWER_OWN };
	if (outcome < LAB_MEMORY)
		return (struct lab_parts){ .answer = LAB_ANSWER_SHARED };
	if (outcome < LAB_CACHE)
		return (struct lab_parts){ .answer = LAB_ANSWER_MEMORY, .home = outcome - LAB_MEMORY };
	if (outcome >= LAB_SLOW)
		return (struct lab_parts){
			.answer = LAB_ANSWER_MEMORY, .home = outcome == LAB_SLOW ? LAB_NEAR : LAB_FAR, .slow = true
		};
	place = outcome < LAB_DIRTY ? outcome - LAB_CACHE : outcome - LAB_DIRTY;
	return (struct lab_parts){
		.answer = outcome < LAB_DIRTY ? LAB_ANSWER_CACHE : LAB_ANSWER_DIRTY,
		.home = place % LAB_WHERES,
		.far = place / LAB_WHERES,
	};
}

u32 lab_outcomes_where(bool (*wants)(enum lab_outcome outcome, const struct lab_parts *parts, u64 argument),
                       u64 argument)
{
	u32 mask = 0;
	enum lab_outcome outcome;

	for (outcome = LAB_OWN; outcome < LAB_OUTCOMES; outcome++) {
		const struct lab_parts parts = lab_parts_of(outcome);

		if (wants(outcome, &parts, argument))
			mask |= LAB_BIT(outcome);
	}
	return mask;
}
