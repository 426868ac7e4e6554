// SPDX-License-Identifier: Apache-2.0
// What surrounds this process and limits it: hypervisor, container, namespaces, capabilities, seccomp filter. Read
// below a root prefix, so that a snapshot tells it as well.
#ifndef CORE_SYSTEM_HOST_H
#define CORE_SYSTEM_HOST_H

#include <stdbool.h>
#include <stdint.h>

enum { HOST_NAME_BYTES = 32 };

struct host {
    bool is_virtual;                    // runs on a hypervisor
    char hypervisor[HOST_NAME_BYTES];   // "" unnamed
    bool is_container;
    char container[HOST_NAME_BYTES];    // "" unnamed
    bool is_user_namespace;             // capabilities count inside it only, not for perf events
    uint64_t capabilities;              // effective ones, as bits of <linux/capability.h>
    bool capabilities_known;
    bool has_seccomp_filter;
    bool seccomp_known;
};

void host_read(struct host *host, const char *root);

// Whether the process has a capability that counts in the whole machine.
bool host_is_capable(const struct host *host, int capability);

#endif
