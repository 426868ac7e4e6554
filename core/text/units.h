// SPDX-License-Identifier: Apache-2.0
// Numbers for people.
#ifndef CORE_TEXT_UNITS_H
#define CORE_TEXT_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum { UNITS_BYTES_TEXT = 16 };

// "64 KiB", "1.5 GiB": three digits or so; "n/a" below 0. Returns out.
char *units_bytes(char out[UNITS_BYTES_TEXT], int64_t bytes);

#endif
