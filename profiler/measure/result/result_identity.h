// SPDX-License-Identifier: Apache-2.0
// Which machine this is, so that a measurement is used only where it was made: its name, board, firmware, CPU, and the
// nodes as they are now (a change in the firmware's settings makes another machine of it).
#ifndef PROFILER_MEASURE_RESULT_RESULT_IDENTITY_H
#define PROFILER_MEASURE_RESULT_RESULT_IDENTITY_H

#include <stdbool.h>

#include "core/topology/topology.h"

// One line of text. with_software: another kernel or microcode makes it another machine too. Needs no privilege.
// -ENOMEM. The caller frees *text.
int result_identity_make(char **text, const struct topology *t, bool with_software);

// Sixteen hexadecimal digits and a NUL.
enum { RESULT_IDENTITY_KEY_BYTES = 17 };
char *result_identity_key(char out[RESULT_IDENTITY_KEY_BYTES], const char *text);

#endif
