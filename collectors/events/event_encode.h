// SPDX-License-Identifier: Apache-2.0
// From the catalogue's events to perf_event_attr, in two ways that must agree: by the numbers of the catalogue, and by
// name through libpfm4, which only this file knows. Recording uses the numbers: they exist for every event, and
// starting libpfm4 costs half a millisecond. The names prove them: numaprof events --check, and the tests.
#ifndef COLLECTORS_EVENTS_EVENT_ENCODE_H
#define COLLECTORS_EVENTS_EVENT_ENCODE_H

#include <linux/perf_event.h>

#include "collectors/events/event_catalogue.h"

// Sets type, size, config and config1 of a zeroed attr. Errors of reading the PMU's type below root where the CPU's
// events need a PMU of their own: -ENOENT, the kernel has no such PMU.
int event_encode(struct perf_event_attr *attr, const char *root, const struct event_cpu *cpu,
                 const struct event_entry *event);

// The same by name; needs no PMU. -ENODATA: the event has no name in libpfm4; -ENOENT: no libpfm4 with a table of
// this CPU (another architecture's, say); -EINVAL: its table does not take the name. The type is left 0 for a PMU that
// the kernel of this machine does not show.
int event_encode_name(struct perf_event_attr *attr, const struct event_cpu *cpu, const struct event_entry *event);

// The event that samples loads and the one that must lead it (0: none): the catalogue's, or for load-latency without an
// event there, what the kernel calls mem-loads and mem-loads-aux below root. -ENOTSUP: the kernel names none.
int event_encode_loads(const struct event_sampling *sampling, const char *root, uint64_t *config, uint64_t *leader);

#endif
