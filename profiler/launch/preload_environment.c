// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/preload_environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/protocol/channel.h"
#include "profiler/install/preload_file.h"

int preload_environment_make(struct preload_environment *environment, const struct target *target, const char *channel,
                             struct placing *placing)
{
    struct preload_environment *e = environment;
    const char *others = getenv("LD_PRELOAD");
    size_t count = 0;
    *e = (struct preload_environment){0};
    int status =
        preload_file_find(e->library, sizeof e->library) < 0 ? -ENOENT : strpbrk(e->library, ": ") ? -EINVAL : 0;
    if (status < 0) {
        e->library[0] = '\0';
        return status;
    }
    snprintf(e->preload, sizeof e->preload, "LD_PRELOAD=%s%s%s", e->library, others && *others ? ":" : "",
             others ? others : "");
    snprintf(e->restore, sizeof e->restore, CHANNEL_PRELOAD_ENVIRONMENT "=%s", e->library);
    if (elf_kind_bears_preload((int)target->kind))
        e->variables[count++] = e->preload;
    e->variables[count++] = e->restore;
    if (channel) {
        snprintf(e->channel, sizeof e->channel, CHANNEL_ENVIRONMENT "=%s", channel);
        e->variables[count++] = e->channel;
    }
    if (placing) {
        e->variables[count++] = placing->file;
        e->variables[count++] = placing->shared;
    }
    return 0;
}
