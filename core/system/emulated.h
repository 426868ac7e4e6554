// SPDX-License-Identifier: Apache-2.0
#ifndef CORE_SYSTEM_EMULATED_H
#define CORE_SYSTEM_EMULATED_H

#include <stdbool.h>
#include <stddef.h>

// Whether this is the emulated NUMA machine; name gets which one. Times mean nothing there.
bool emulated_name(char *name, size_t size, const char *root);

#endif
