// SPDX-License-Identifier: Apache-2.0
// Names of file systems.
#ifndef PROFILER_DOCTOR_DOCTOR_OUTPUT_H
#define PROFILER_DOCTOR_DOCTOR_OUTPUT_H

#include <stdbool.h>

// By statfs(2).f_type; *network: its files are on another machine. NULL: not known here.
const char *doctor_output_type(unsigned long magic, bool *network);

#endif
