// SPDX-License-Identifier: Apache-2.0
#include "collectors/events/event_union.h"

#include <stdio.h>
#include <string.h>

enum { EVENT_UNION_CLASSES = 3 };

struct event_union_side {
    const struct event_entry *events[EVENT_UNION_CLASSES];
    int count;
};

// Request bits of an offcore-response register: 0-7 on Nehalem and Westmere, 0-15 since (Intel SDM volume 3B, "Off-core
// Response Performance Monitoring"). The other bits say who answered.
static uint64_t event_union_request_bits(const struct event_cpu *cpu)
{
    return cpu->offcore_mask == 0xffff ? 0xff : 0xffff;
}

bool event_union_is(const struct event_entry *event)
{
    return strchr(event->class, '|') != NULL;
}

// The classes that answer these questions, each once; 0 if one of them has no answer.
static int event_union_classes(const struct event_plan *plan, const char *classes[EVENT_UNION_CLASSES])
{
    int count = 0;
    for (int i = 0; i < plan->answer_count; i++) {
        const struct event_plan_answer *answer = &plan->answers[i];
        if (strcmp(answer->topic, "demand_rd") != 0 && strcmp(answer->topic, "demand_rfo") != 0 &&
            strcmp(answer->topic, "prefetch") != 0)
            continue;
        if (!answer->class)
            return 0;
        bool known = false;
        for (int j = 0; j < count; j++)
            known |= strcmp(classes[j], answer->class) == 0;
        if (!known)
            classes[count++] = answer->class;
    }
    return count;
}

// False: the plan has another placement of the class, so that two events are not all of it.
static bool event_union_find(const struct event_plan *plan, const char *class, struct event_union_side sides[2])
{
    int before = sides[0].count;
    for (int i = 0; i < plan->group_count; i++)
        for (int j = 0; j < plan->groups[i].count; j++) {
            const struct event_entry *event = plan->groups[i].events[j];
            if (strcmp(event->class, class) != 0)
                continue;
            int side = strcmp(event->placement, "local_dram") == 0 ? 0 : 1;
            if (side == 1 && strcmp(event->placement, "remote_dram") != 0)
                return false;
            if (sides[side].count > before)
                return false;
            sides[side].events[sides[side].count++] = event;
        }
    return sides[0].count == before + 1 && sides[1].count == before + 1;
}

static bool event_union_merge(const struct event_union_side *side, uint64_t request_bits, struct event_entry *merged)
{
    *merged = *side->events[0];
    for (int i = 1; i < side->count; i++) {
        const struct event_entry *event = side->events[i];
        if (event->config != merged->config || ((event->config1 ^ merged->config1) & ~request_bits) != 0)
            return false; // another register, or another answer
        merged->config1 |= event->config1;
    }
    merged->name = NULL;
    merged->notes = NULL;
    merged->sources = "derived";
    return merged->config1 != 0;
}

static void event_union_insert(struct event_plan *plan, int at, const struct event_entry *first,
                               const struct event_entry *second)
{
    memmove(&plan->groups[at + 1], &plan->groups[at], (size_t)(plan->group_count - at) * sizeof plan->groups[0]);
    plan->group_count++;
    plan->groups[at] = (struct event_plan_group){.events = {first, second}, .count = second ? 2 : 1};
}

// Groups that need no offcore register stand first in such a plan, those of single events behind them.
static int event_union_singles(const struct event_plan *plan)
{
    int at = 0;
    while (at < plan->group_count && plan->groups[at].count > 1)
        at++;
    return at;
}

void event_union_add(struct event_plan *plan, const struct event_cpu *cpu)
{
    const char *classes[EVENT_UNION_CLASSES];
    struct event_union_side sides[2] = {0};
    int count = event_union_classes(plan, classes);
    if (cpu->offcore_registers == 0 || count < 2 || plan->group_count + 2 > EVENT_PLAN_GROUPS)
        return;
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        if (!event_union_find(plan, classes[i], sides))
            return;
        used += (size_t)snprintf(plan->union_class + used, sizeof plan->union_class - used, "%s%s", i ? "|" : "", classes[i]);
        if (used >= sizeof plan->union_class)
            return;
    }
    for (int side = 0; side < 2; side++) {
        if (!event_union_merge(&sides[side], event_union_request_bits(cpu), &plan->merged[side]))
            return;
        plan->merged[side].class = plan->union_class;
    }
    if (cpu->offcore_registers > 1) {
        event_union_insert(plan, 0, &plan->merged[0], &plan->merged[1]);
        return;
    }
    // The kernel gives a group also the turns of those before it that leave its register free.
    event_union_insert(plan, event_union_singles(plan), &plan->merged[1], NULL);
    event_union_insert(plan, 0, &plan->merged[0], NULL);
}
