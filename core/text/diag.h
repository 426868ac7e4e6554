// SPDX-License-Identifier: Apache-2.0
// Messages for people, on stderr: one line each, cause first, then the remedy.
#ifndef CORE_TEXT_DIAG_H
#define CORE_TEXT_DIAG_H

#include <stddef.h>

// Exit codes of the tool itself, as env(1) has them. Everything else is the target's own.
enum { DIAG_EXIT_FAILED = 125, DIAG_EXIT_CANNOT_RUN = 126, DIAG_EXIT_NOT_FOUND = 127 };

// "numaprof: CAUSE; REMEDY". The remedy may be NULL where there is none.
void diag_error(const char *remedy, const char *cause_format, ...) __attribute__((format(printf, 2, 3)));
void diag_warn(const char *remedy, const char *cause_format, ...) __attribute__((format(printf, 2, 3)));

// One line of progress or result that is neither: "numaprof: TEXT".
void diag_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Copies text from the target into out (size bytes with the final NUL) so that a terminal shows it as text: control
// characters and bytes that are not valid UTF-8 become \xNN. Returns out.
char *diag_clean(char *out, size_t size, const char *text);

#endif
