// SPDX-License-Identifier: Apache-2.0
// How the recorder and the preload library choose a CPU slot alike, and when they leave that to the program.
#ifndef COLLECTORS_PROTOCOL_CHANNEL_SLOTS_H
#define COLLECTORS_PROTOCOL_CHANNEL_SLOTS_H

#include <stdbool.h>
#include <stdlib.h>

#include "collectors/protocol/channel.h"

// Index of the slot with the fewest users, the first of them, among those in mask (NULL: any); -1: there is none.
static inline int channel_least_used_slot(const struct channel_settings *settings, const _Atomic uint32_t *slot_users,
                                          const struct cpulist *mask)
{
    int best = -1;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < settings->slot_count && fewest > 0; i++) {
        uint32_t users = atomic_load_explicit(&slot_users[i], memory_order_relaxed);
        if (users < fewest && (!mask || cpulist_has(mask, settings->slots[i]))) {
            best = (int)i;
            fewest = users;
        }
    }
    return best;
}

// A variable of the environment tells the program's runtime where threads belong.
static inline bool channel_program_pins(void)
{
    static const char *const settings[] = {"OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *value = getenv(settings[i]);
        if (value && *value)
            return true;
    }
    return false;
}

#endif
