// SPDX-License-Identifier: Apache-2.0
// Where pages of a process are now: move_pages(2) in query mode, with /proc/PID/pagemap for what it does not tell.
#ifndef COLLECTORS_PAGES_PAGES_STATE_H
#define COLLECTORS_PAGES_PAGES_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The node the page is on (0 or more), or one of these.
enum pages_state {
    PAGES_ABSENT = -1,       // no page there (any more), or no mapping
    PAGES_ZERO = -2,         // the shared zero page: read, never written
    PAGES_SOMEWHERE = -3,    // there is a page, but the kernel does not say where
    PAGES_UNKNOWN = -4,      // nothing could be found out
};

// Fills states[i] for the page that holds addresses[i]. Returns how many have an answer other than PAGES_UNKNOWN, or
// the error that made all of them unknown: -ESRCH the process has no memory (any more), -EPERM, -ENOSYS ...
int pages_state_query(pid_t pid, const uint64_t *addresses, size_t count, int32_t *states);

// Whether the page is a file's (also shared memory's), not a private copy: 1, 0, or -errno.
int pages_state_is_file(pid_t pid, uint64_t address);

#endif
