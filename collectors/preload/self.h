// SPDX-License-Identifier: Apache-2.0
// What the library knows of its process and of the recorder. connect.c writes it; the others ask by preload.h.
#ifndef COLLECTORS_PRELOAD_SELF_H
#define COLLECTORS_PRELOAD_SELF_H

#include <limits.h>

#include "collectors/preload/preload.h"

struct preload_self {
    struct channel *channel;
    struct channel_settings settings; // other users may write the shared ones
    uint64_t process;
    pid_t pid;
    struct cpulist mask;
    bool other_namespace;            // our thread numbers are not the recorder's, or this is not known
    _Atomic uint32_t *alone_users;   // of the CPU slots of a placement file; NULL: none
    char address[CHANNEL_ADDRESS], library[PATH_MAX];
};
extern struct preload_self preload_self;

#endif
