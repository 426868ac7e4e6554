// SPDX-License-Identifier: Apache-2.0
// The Python program that people's reports come from, found as git finds its commands: beside us, in libexec, on PATH.
#ifndef PROFILER_INSTALL_REPORTS_PROGRAM_H
#define PROFILER_INSTALL_REPORTS_PROGRAM_H

#include <signal.h>

// Becomes it. words: its arguments from argv[0] on, NULL at the end. Returns -errno if it cannot be started.
int reports_program_exec(char *const *words);

// Starts it and waits: its exit status, 128 + signal number, or DIAG_EXIT_FAILED with a message that names the
// recording.
// mask: the signals that it is to block.
int reports_program_run(char *const *words, const char *recording, const sigset_t *mask);

#endif
