// SPDX-License-Identifier: Apache-2.0
// What to open on a CPU for a request such as "demand reads, prefetches, retired loads": groups of events that must be
// counted together, and for every question what the answer leaves out. Groups stand in the order of the request, those
// that only count in turn last: on Nehalem the retired loads give the ratio, so they come first.
//
// A group holds at most as many events as the CPU counts at once, and no more different config1 values than it has
// offcore registers (the data says so, tests/test_catalogue.py proves it), so the kernel can schedule it; groups
// rotate among each other. Local and remote of one class stand in one group, so that they see the same time slices,
// except where the CPU cannot: see in_turn.
#ifndef COLLECTORS_EVENTS_EVENT_PLAN_H
#define COLLECTORS_EVENTS_EVENT_PLAN_H

#include <stdbool.h>

#include "collectors/events/event_catalogue.h"
#include "core/topology/topology.h"

enum { EVENT_PLAN_TOPICS = 8, EVENT_PLAN_GROUPS = 16, EVENT_PLAN_GROUP_EVENTS = 4, EVENT_PLAN_WHY_BYTES = 400 };

// All topics in the order of most use, for a request of everything.
extern const char event_plan_all_topics[];

// Where nobody asks for any: the slow tier where there is one. Cache responses are left out: their groups would take
// time from these.
const char *event_plan_usual(const struct topology *topology);

struct event_plan_request {
    const char *topics; // "demand_rd,retired"; in the order of importance: what comes first is opened first
    bool split;         // sockets are several nodes each: event_plan_sockets_are_split
};

struct event_plan_answer {
    const char *topic, *status; // as in struct event_answer
    const char *class;          // NULL: none
    bool in_turn;               // its events are in several groups: they saw different time slices
    char why[EVENT_PLAN_WHY_BYTES];   // what the answer leaves out or in; "" nothing
};

struct event_plan_group {
    const struct event_entry *events[EVENT_PLAN_GROUP_EVENTS]; // the first leads
    int count;
};

struct event_plan {
    const char *local; // what "local" means in these numbers
    const char *clusters_doubt; // a sentence where sockets are several nodes and events may call them one; or NULL
    const char *clusters_doubt_of_retired; // the same of retired loads
    struct event_plan_answer answers[EVENT_PLAN_TOPICS];
    struct event_plan_group groups[EVENT_PLAN_GROUPS];
    int answer_count, group_count;
};

// Is a socket of this machine several nodes with CPUs (sub-NUMA clusters, cluster on die, NPS)?
bool event_plan_sockets_are_split(const struct topology *topology);

// Whether this is a list of topics, on whatever CPU.
bool event_plan_knows_topics(const char *topics);

// -EINVAL: an unknown topic, or more than there are.
int event_plan_make(struct event_plan *plan, const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                    const struct event_plan_request *request);

#endif
