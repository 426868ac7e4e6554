// SPDX-License-Identifier: Apache-2.0
// The files whose code the program mapped, and what made them: by both, reports recognise runtimes.
#ifndef PROFILER_SYMBOLS_FILES_CODE_FILES_H
#define PROFILER_SYMBOLS_FILES_CODE_FILES_H

#include "core/recording/recording_queue.h"
#include "profiler/symbols/files/program_files.h"

void code_files_write(const struct program_files *files, struct recording_queue *queue);

#endif
