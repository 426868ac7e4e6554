// SPDX-License-Identifier: Apache-2.0
// region TIMES: marks a region that often, and says how often.
#include <stdio.h>
#include <stdlib.h>

#include "include/numaprof.h"

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < times; i++) {
        numaprof_region_start();
        numaprof_region_stop();
    }
    printf("%d\n", times);
    return 0;
}
