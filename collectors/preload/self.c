// SPDX-License-Identifier: Apache-2.0
#include "collectors/preload/self.h"

#include <unistd.h>

struct preload_self preload_self;

struct channel *preload_channel(void)
{
    struct channel *channel = preload_self.channel;
    if (!channel || preload_is_quiet())
        return NULL;
    if (!preload_recorder_died(channel))
        return channel;
    preload_go_quiet();
    return NULL;
}

_Atomic uint32_t *preload_slot_users(void)
{
    struct channel *channel = preload_channel();
    return channel ? channel->slot_users : preload_is_quiet() ? NULL : preload_self.alone_users;
}

const struct channel_settings *preload_settings(void)
{
    return &preload_self.settings;
}

uint64_t preload_process(void)
{
    return preload_self.process;
}

bool preload_is_this_process(void)
{
    return preload_self.pid == getpid();
}

// Numbers of threads in another pid namespace can be looked up only while the threads live.
bool preload_awaits(void)
{
    return preload_channel() && (preload_self.settings.await_start || preload_self.other_namespace);
}

bool preload_is_elsewhere(void)
{
    return preload_self.other_namespace;
}

const char *preload_channel_address(void)
{
    return preload_self.address;
}

const char *preload_library(void)
{
    return preload_self.library;
}

const struct cpulist *preload_process_mask(void)
{
    return &preload_self.mask;
}
