// SPDX-License-Identifier: Apache-2.0
// The start of a process, and its end while its memory is still there: the recorder looks where the pages are before we
// let it go. A fatal signal skips the end; then the recorder has its last periodic snapshot.
#include <stdlib.h>
#include <unistd.h>

#include "collectors/preload/place/place.h"
#include "collectors/preload/preload.h"

// 101 runs before constructors without a number, so that threads started by those are seen. Constructors of libraries
// may have run before.
__attribute__((constructor(101))) static void process_start(void)
{
    preload_connect();
    place_open();
    preload_slot_begin(); // not earlier: libnuma's constructor, which runs before, reads the mask in /proc
}

// A child between vfork and exec leaves by _exit too, in its parent's memory: it is not this process's end.
static void process_announce_end(void)
{
    if (preload_is_filtered())
        return;
    place_finish();
    if (!preload_is_this_process())
        return;
    preload_slot_leave();
    preload_send((struct preload_note){.kind = CHANNEL_PROCESS_EXIT, .waits = true});
}

// 101: after the program's own destructors, which still use memory.
__attribute__((destructor(101))) static void process_end(void)
{
    process_announce_end();
}

PRELOAD_EXPORT __attribute__((noreturn)) void _exit(int status)
{
    process_announce_end();
    PRELOAD_NEXT(_exit)(status);
    __builtin_unreachable();
}

PRELOAD_EXPORT __attribute__((noreturn)) void _Exit(int status)
{
    process_announce_end();
    PRELOAD_NEXT(_Exit)(status);
    __builtin_unreachable();
}

PRELOAD_EXPORT __attribute__((noreturn)) void quick_exit(int status)
{
    process_announce_end();
    PRELOAD_NEXT(quick_exit)(status);
    __builtin_unreachable();
}

PRELOAD_EXPORT __attribute__((noreturn)) void abort(void)
{
    process_announce_end();
    PRELOAD_NEXT(abort)();
    __builtin_unreachable();
}
