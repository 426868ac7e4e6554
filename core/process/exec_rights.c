// SPDX-License-Identifier: Apache-2.0
// Also linked into the preload library, where it runs between vfork and exec: no allocation, no global state.
#include "core/process/exec_rights.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

bool exec_rights_change(const char *program)
{
    struct stat file;
    if (stat(program, &file) < 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    bool set_user = (file.st_mode & S_ISUID) && file.st_uid != geteuid();
    bool set_group = (file.st_mode & S_ISGID) && (file.st_mode & S_IXGRP) && file.st_gid != getegid();
    bool capable = geteuid() != 0 && getxattr(program, "security.capability", NULL, 0) > 0;
    return set_user || set_group || capable;
}
