// SPDX-License-Identifier: Apache-2.0
// The real event catalogue, and its CPUs by name.
#ifndef TESTS_C_HAND_CATALOGUE_H
#define TESTS_C_HAND_CATALOGUE_H

#include "check.h"
#include "collectors/events/event_catalogue.h"

static struct event_catalogue *catalogue;

static inline const struct event_cpu *real_cpu(const char *name)
{
    const struct event_cpu *found;
    char near[64];
    if (!catalogue)
        CHECK_EQ(event_catalogue_load(&catalogue), 0);
    CHECK_EQ(event_catalogue_find(catalogue, name, &found, near, sizeof near), 0);
    return found;
}

#endif
