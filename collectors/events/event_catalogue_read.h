// SPDX-License-Identifier: Apache-2.0
// Reads the catalogue's text: one record a line, fields between blanks, "-" for nothing, "#" for comments. The first
// word says what the line is; a line that begins with no such word is an event. docs/dev/adding-a-cpu.md describes
// them.
#ifndef COLLECTORS_EVENTS_EVENT_CATALOGUE_READ_H
#define COLLECTORS_EVENTS_EVENT_CATALOGUE_READ_H

#include "collectors/events/event_catalogue.h"

// Fills the empty catalogue from its text, which it cuts up. -EINVAL: line *line (from 1) is not of the form; -ENOSPC:
// there is no room for it. only_cpus: lines that do not describe a CPU are passed over.
int event_catalogue_read(struct event_catalogue *catalogue, bool only_cpus, int *line);

#endif
