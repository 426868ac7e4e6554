// SPDX-License-Identifier: Apache-2.0
#include "core/topology/topology_pin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A node, or the part of a node that lies in one package where a node spans several.
struct topology_pin_domain {
    int node, package;
    int distance;               // from the first node
    int rank;                   // in the order by distance
    int round;                  // how many domains of its package or node come before it in that order
};

// One allowed CPU and what it is sorted by.
struct topology_pin_entry {
    const struct topology_cpu *cpu;
    int domain;                  // index of its domain
    int thread;                 // rank among the allowed hyperthreads of its core
    int slot;                   // scatter: how many CPUs of its domain and thread rank come before it
};

static int topology_pin_differ(int a, int b)
{
    return (a > b) - (a < b);
}

static int topology_pin_by_distance(const void *a, const void *b)
{
    const struct topology_pin_domain *x = a, *y = b;
    int order = topology_pin_differ(x->distance, y->distance);
    order = order ? order : topology_pin_differ(x->node, y->node);
    return order ? order : topology_pin_differ(x->package, y->package);
}

// Alternates between packages, and between nodes of several packages; these come in the order of their nearest domains.
static int topology_pin_by_round(const void *a, const void *b)
{
    const struct topology_pin_domain *x = a, *y = b;
    int order = topology_pin_differ(x->round, y->round);
    return order ? order : topology_pin_differ(x->rank, y->rank);
}

static int topology_pin_by_core(const void *a, const void *b)
{
    const struct topology_pin_entry *x = a, *y = b;
    int order = topology_pin_differ(x->cpu->core, y->cpu->core);
    return order ? order : topology_pin_differ(x->cpu->id, y->cpu->id);
}

// The policy's order: a core's first thread before its second; then by slot, which compact leaves at 0.
static int topology_pin_by_turn(const void *a, const void *b)
{
    const struct topology_pin_entry *x = a, *y = b;
    int order = topology_pin_differ(x->thread, y->thread);
    order = order ? order : topology_pin_differ(x->slot, y->slot);
    order = order ? order : topology_pin_differ(x->domain, y->domain);
    return order ? order : topology_pin_differ(x->cpu->id, y->cpu->id);
}

// The allowed CPUs with their thread ranks.
static size_t topology_pin_entries(const struct topology *t, struct topology_pin_entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < t->cpu_count; i++)
        if (t->cpus[i].allowed)
            entries[count++] = (struct topology_pin_entry){.cpu = &t->cpus[i]};
    qsort(entries, count, sizeof *entries, topology_pin_by_core);
    for (size_t i = 1; i < count; i++)
        if (entries[i].cpu->core == entries[i - 1].cpu->core)
            entries[i].thread = entries[i - 1].thread + 1;
    return count;
}

static size_t topology_pin_find(const struct topology_pin_domain *domains, size_t count, const struct topology_cpu *cpu)
{
    size_t i = 0;
    while (i < count && (domains[i].node != cpu->node || domains[i].package != cpu->package))
        i++;
    return i;
}

// Collects the entries' domains in the policy's order. Returns how many.
static size_t topology_pin_domains(const struct topology *t, enum topology_pin policy,
                                   struct topology_pin_domain *domains, const struct topology_pin_entry *entries,
                                   size_t entry_count)
{
    size_t count = 0;
    int first = INT_MAX;
    for (size_t i = 0; i < entry_count; i++) {
        const struct topology_cpu *cpu = entries[i].cpu;
        if (topology_pin_find(domains, count, cpu) == count)
            domains[count++] = (struct topology_pin_domain){.node = cpu->node, .package = cpu->package};
        first = cpu->node >= 0 && cpu->node < first ? cpu->node : first;
    }
    for (size_t i = 0; i < count; i++) {
        int distance = topology_distance(t, first, domains[i].node);
        domains[i].distance = domains[i].node == first ? 0 : distance == TOPOLOGY_UNKNOWN ? INT_MAX : distance;
    }
    qsort(domains, count, sizeof *domains, topology_pin_by_distance);
    for (size_t i = 0; i < count; i++) {
        domains[i].rank = (int)i;
        for (size_t j = 0; j < i; j++)
            domains[i].round += domains[j].package == domains[i].package || domains[j].node == domains[i].node;
    }
    if (policy == TOPOLOGY_PIN_SCATTER)
        qsort(domains, count, sizeof *domains, topology_pin_by_round);
    return count;
}

// Numbers the CPUs of each domain and thread rank; the entries are in compact order.
static void topology_pin_slots(struct topology_pin_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (entries[i].domain == entries[i - 1].domain && entries[i].thread == entries[i - 1].thread)
            entries[i].slot = entries[i - 1].slot + 1;
}

int topology_pin_order(const struct topology *t, enum topology_pin policy, int *cpus, size_t max)
{
    struct topology_pin_entry *entries = calloc(t->cpu_count, sizeof *entries);
    struct topology_pin_domain *domains = calloc(t->cpu_count, sizeof *domains);
    int status = -ENOMEM;
    if (!entries || !domains)
        goto done;
    size_t count = topology_pin_entries(t, entries);
    size_t domain_count = topology_pin_domains(t, policy, domains, entries, count);
    for (size_t i = 0; i < count; i++)
        entries[i].domain = (int)topology_pin_find(domains, domain_count, entries[i].cpu);
    qsort(entries, count, sizeof *entries, topology_pin_by_turn);
    if (policy == TOPOLOGY_PIN_SCATTER) {
        topology_pin_slots(entries, count);
        qsort(entries, count, sizeof *entries, topology_pin_by_turn);
    }
    count = count < max ? count : max;
    for (size_t i = 0; i < count; i++)
        cpus[i] = entries[i].cpu->id;
    status = (int)count;
done:
    free(domains);
    free(entries);
    return status;
}

int topology_pin_list(const struct topology *t, const char *text, int *cpus, size_t max,
                      struct topology_pin_refusal *refusal)
{
    *refusal = (struct topology_pin_refusal){0};
    int count = cpulist_order(cpus, max, text);
    if (count <= 0)
        return count < 0 ? count : -EINVAL;
    bool refused = false;
    for (int i = 0; i < count; i++) {
        const struct topology_cpu *cpu = topology_cpu(t, cpus[i]);
        if (cpu && cpu->allowed)
            continue;
        refused = true;
        cpulist_add(!cpu ? &refusal->absent : !cpu->online ? &refusal->offline : &refusal->forbidden, cpus[i]);
    }
    return refused ? -EPERM : count;
}

static size_t topology_pin_clause(char *out, size_t size, size_t used, const struct cpulist *set, const char *one,
                                  const char *several)
{
    char list[96];
    int count = cpulist_count(set);
    if (count == 0 || used >= size)
        return used;
    int n = snprintf(out + used, size - used, "%sCPU%s %s %s", used ? ", " : "", count > 1 ? "s" : "",
                     cpulist_shorten(list, sizeof list, set), count > 1 ? several : one);
    return used + (size_t)n;
}

char *topology_pin_explain(char *out, size_t size, const struct topology_pin_refusal *refusal)
{
    if (size > 0)
        out[0] = '\0';
    size_t used = topology_pin_clause(out, size, 0, &refusal->absent, "does not exist", "do not exist");
    used = topology_pin_clause(out, size, used, &refusal->offline, "is offline", "are offline");
    topology_pin_clause(out, size, used, &refusal->forbidden, "is outside the inherited affinity mask",
                        "are outside the inherited affinity mask");
    return out;
}
