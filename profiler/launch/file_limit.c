// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/file_limit.h"

enum { FILE_LIMIT_WANTED = 1 << 20 }; // fs.nr_open's default, above which even root must not go

void file_limit_raise(struct rlimit *before)
{
    if (getrlimit(RLIMIT_NOFILE, before) < 0) {
        *before = (struct rlimit){0};
        return;
    }
    struct rlimit wanted = {.rlim_cur = FILE_LIMIT_WANTED, .rlim_max = before->rlim_max};
    if (before->rlim_max < FILE_LIMIT_WANTED)
        wanted.rlim_max = FILE_LIMIT_WANTED;
    if (setrlimit(RLIMIT_NOFILE, &wanted) == 0)
        return;
    wanted = (struct rlimit){.rlim_cur = before->rlim_max, .rlim_max = before->rlim_max};
    setrlimit(RLIMIT_NOFILE, &wanted);
}

void file_limit_return(const struct rlimit *before)
{
    if (before->rlim_max > 0)
        setrlimit(RLIMIT_NOFILE, before);
}
