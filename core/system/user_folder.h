// SPDX-License-Identifier: Apache-2.0
// A folder for what the processes of this user share on this host, where no other user can put a name.
#ifndef CORE_SYSTEM_USER_FOLDER_H
#define CORE_SYSTEM_USER_FOLDER_H

// Makes numaprof-UID, mode 0700, in the first of the parents (NULL at the end) where that name is this user's own or
// free. Returns its descriptor or -errno.
int user_folder_open_in(const char *const *parents);

// In /dev/shm, which no other host shares, else in /tmp.
int user_folder_open(void);

#endif
