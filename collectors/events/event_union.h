// SPDX-License-Identifier: Apache-2.0
// One pair of events for all requests that the verdict adds up. An offcore-response register takes any set of request bits, so
// demand reads, reads for ownership and prefetches of one placement can be counted by one event; the classes then are details.
#ifndef COLLECTORS_EVENTS_EVENT_UNION_H
#define COLLECTORS_EVENTS_EVENT_UNION_H

#include "collectors/events/event_plan.h"

// Puts the pair first in the plan, where the CPU can count it and the plan has at least two of these classes. On a CPU with
// one offcore register local and remote stand in two groups, each where the kernel's rotation gives it two turns.
void event_union_add(struct event_plan *plan, const struct event_cpu *cpu);

bool event_union_is(const struct event_entry *event);

#endif
