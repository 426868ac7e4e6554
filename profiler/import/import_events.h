// SPDX-License-Identifier: Apache-2.0
// What the event catalogue knows of the events in a perf.data file. Some events name what answered their accesses.
#ifndef PROFILER_IMPORT_IMPORT_EVENTS_H
#define PROFILER_IMPORT_IMPORT_EVENTS_H

#include "collectors/events/event_catalogue.h"
#include "collectors/loads/loads_source.h"
#include "profiler/import/perf_data/perf_file.h"

// Sets perf_file_event.known of the file's events, for the CPU that perf recorded on. *catalogue owns the entries; the
// caller frees it. Returns the CPU. NULL: it is not in the catalogue, or its events are not of one core; known stays
// NULL.
const struct event_cpu *import_events_identify(struct perf_file *file, struct event_catalogue **catalogue,
                                               const struct cpu_identity *cpu);

// What answered every sampled load of the event. LOAD_UNKNOWN: the event does not tell; the sample may.
enum load_source import_events_source(const struct perf_file_event *event);

// Whether each sample of the event stands for requests that remote memory answered.
bool import_events_is_remote(const struct perf_file_event *event);

#endif
