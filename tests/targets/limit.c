// SPDX-License-Identifier: Apache-2.0
// limit: prints the number of files it may have open, soft and hard, and its nice value.
#include <stdio.h>
#include <sys/resource.h>

int main(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return 1;
    printf("%llu %llu %d\n", (unsigned long long)files.rlim_cur, (unsigned long long)files.rlim_max,
           getpriority(PRIO_PROCESS, 0));
    return 0;
}
