// SPDX-License-Identifier: Apache-2.0
// The lines that perf script --header -I writes before the samples, each beginning with "#".
#ifndef PROFILER_IMPORT_PERF_TEXT_PERF_TEXT_HEADER_H
#define PROFILER_IMPORT_PERF_TEXT_PERF_TEXT_HEADER_H

#include <linux/perf_event.h>

#include "profiler/import/perf_data/perf_features.h"

// Takes what the line says about the machine and about perf; other lines are left out. -ENOMEM.
int perf_text_header_take(struct perf_features *features, const char *line);

// An event's attributes and name, which is cut out of the line. NULL: the line describes no event.
const char *perf_text_header_event(char *line, struct perf_event_attr *attr);

#endif
