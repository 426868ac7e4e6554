// SPDX-License-Identifier: Apache-2.0
// A FIFO by which somebody outside says when to count: lines "start" and "stop".
#ifndef PROFILER_LAUNCH_CONTROL_H
#define PROFILER_LAUNCH_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

struct control {
    int fd;                  // -1: there is none
    const char *made;        // the FIFO is ours to remove; NULL: it was there before
    char line[64];
    size_t used;
    bool warned;
};

enum control_order { CONTROL_NOTHING, CONTROL_START, CONTROL_STOP };

// Makes the FIFO if it is not there. path must live as long. -EEXIST: something else is there; else -errno.
int control_open(struct control *control, const char *path);
void control_close(struct control *control);

// The next order that was written; what is neither of the two is complained about once.
enum control_order control_next(struct control *control);

#endif
