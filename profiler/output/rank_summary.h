// SPDX-License-Identifier: Apache-2.0
// The summary of a rank in its finished recording, written by Python. To load Python takes ten times as long as the
// summary of a short run, so ranks of a host that end together share one: the first to end starts it, and those that
// end meanwhile ask it. It makes each summary on the CPUs of that rank.
#ifndef PROFILER_OUTPUT_RANK_SUMMARY_H
#define PROFILER_OUTPUT_RANK_SUMMARY_H

#include <signal.h>

// Returns when the summary is written, or cannot be written here: merging then makes it. folder: where the ranks'
// recordings are. mask: the signals that Python is to block.
void rank_summary_write(const char *folder, const char *recording, const sigset_t *mask);

#endif
