// SPDX-License-Identifier: Apache-2.0
// Opens a file with another user's rights: a name that comes from that user must not lead where only root may read.
#ifndef CORE_PROCESS_OPEN_AS_H
#define CORE_PROCESS_OPEN_AS_H

#include <sys/types.h>

struct open_as {
    uid_t uid;
    gid_t gid;
};

// open(2) for reading, with the rights of that user and group and of no other group. A process that is not root opens
// the file as itself. A descriptor, or -errno; -EPERM: this root may not act as that user. Changes the rights of this
// thread meanwhile.
int open_as(const char *path, int flags, struct open_as who);

#endif
