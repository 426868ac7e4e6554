// SPDX-License-Identifier: Apache-2.0
#ifndef PROFILER_VERIFY_RESULT_VERIFY_OUTPUT_H
#define PROFILER_VERIFY_RESULT_VERIFY_OUTPUT_H

#include <stdio.h>

#include "profiler/verify/verify.h"

// A table for people: events by pairs of nodes, counted / expected lines, and a word.
void verify_output_text(FILE *file, const struct verify *verify);
// The object that docs/verify.md describes.
void verify_output_json(FILE *file, const struct verify *verify);

#endif
