// SPDX-License-Identifier: Apache-2.0
#include "core/topology/topology_parts.h"

int topology_read(struct topology *t, const char *root)
{
    *t = (struct topology){0};
    struct topology_reader r = {.t = t, .root = root};
    int status = topology_cpus_read(&r);
    if (status < 0)
        goto done;
    if ((status = topology_nodes_read(&r)) < 0)
        goto done;
    cpu_identity_read(&t->cpu, root);
    topology_memory_read(&r);
    topology_caches_read(&r);
    topology_allowed_read(&r);
    topology_remarks_add(&r);
    status = 0;
done:
    if (status < 0)
        topology_free(t);
    return status;
}
