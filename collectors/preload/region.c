// SPDX-License-Identifier: Apache-2.0
// What include/numaprof.h calls: the program marks the part of its run that counts.
#include "collectors/preload/preload.h"

PRELOAD_EXPORT void numaprof_region_start(void);
PRELOAD_EXPORT void numaprof_region_stop(void);

void numaprof_region_start(void)
{
    preload_send((struct preload_note){.kind = CHANNEL_REGION, .a = 1, .waits = true});
}

void numaprof_region_stop(void)
{
    preload_send((struct preload_note){.kind = CHANNEL_REGION, .a = 0, .waits = true});
}
