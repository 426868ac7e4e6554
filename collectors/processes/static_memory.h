// SPDX-License-Identifier: Apache-2.0
#ifndef COLLECTORS_PROCESSES_STATIC_MEMORY_H
#define COLLECTORS_PROCESSES_STATIC_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

// End of the static memory, .bss included, of the program or library that a process mapped at address from this offset
// of its file; rounded up to a page. path: as in /proc/PID/maps. UINT64_MAX: the file cannot be read; 0: it is no
// program's writable segment.
uint64_t static_memory_end(pid_t pid, const char *path, uint64_t file_offset, uint64_t address);

#endif
