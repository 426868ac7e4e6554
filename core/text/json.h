// SPDX-License-Identifier: Apache-2.0
// The two things of JSON that printf cannot do.
#ifndef CORE_TEXT_JSON_H
#define CORE_TEXT_JSON_H

#include <stdint.h>
#include <stdio.h>

// A quoted string. A byte that is not valid UTF-8 becomes \udcXX, from which Python's surrogateescape gets it back.
void json_text(FILE *file, const char *text);

// The number, or null where value is unknown.
void json_number(FILE *file, int64_t value, int64_t unknown);

#endif
