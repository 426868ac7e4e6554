// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "core/topology/topology_pin.h"
#include "tests/c/check.h"

// Two nodes of two CPUs; CPU 2 is offline, CPU 3 not allowed. There is no CPU 4.
static struct topology_cpu cpus[] = {
    {.id = 0, .node = 0, .core = 0, .online = true, .allowed = true},
    {.id = 1, .node = 0, .core = 1, .online = true, .allowed = true},
    {.id = 2, .node = TOPOLOGY_UNKNOWN, .core = TOPOLOGY_UNKNOWN},
    {.id = 3, .node = 1, .core = 2, .online = true},
    {.id = 5, .node = 1, .core = 3, .online = true, .allowed = true},
};
static const struct topology machine = {.cpus = cpus, .cpu_count = sizeof cpus / sizeof *cpus};

static const char *refused(const char *list)
{
    static char out[256];
    int order[8];
    struct topology_pin_refusal refusal;
    CHECK_EQ(topology_pin_list(&machine, list, order, 8, &refusal), -EPERM);
    return topology_pin_explain(out, sizeof out, &refusal);
}

TEST(a_list_of_allowed_cpus_keeps_its_order)
{
    int order[8];
    struct topology_pin_refusal refusal;
    CHECK_EQ(topology_pin_list(&machine, "5,0-1,0", order, 8, &refusal), 3);
    CHECK_EQ(order[0], 5);
    CHECK_EQ(order[1], 0);
    CHECK_EQ(order[2], 1);
    CHECK_EQ(topology_pin_list(&machine, "5,0-1", order, 2, &refusal), 2);
}

TEST(cpus_that_cannot_be_had_are_named)
{
    CHECK_STR(refused("0,2"), "CPU 2 is offline");
    CHECK_STR(refused("3"), "CPU 3 is outside the inherited affinity mask");
    CHECK_STR(refused("0-7"),
              "CPUs 4,6-7 do not exist, CPU 2 is offline, CPU 3 is outside the inherited affinity mask");
}

TEST(what_is_no_list_is_an_error)
{
    int order[8];
    struct topology_pin_refusal refusal;
    CHECK_EQ(topology_pin_list(&machine, "", order, 8, &refusal), -EINVAL);
    CHECK_EQ(topology_pin_list(&machine, "0-", order, 8, &refusal), -EINVAL);
    CHECK_EQ(topology_pin_list(&machine, "8192", order, 8, &refusal), -ERANGE);
}

TEST(an_order_is_cut_off_at_its_room)
{
    int order[2] = {-1, -1};
    CHECK_EQ(topology_pin_order(&machine, TOPOLOGY_PIN_COMPACT, order, 1), 1);
    CHECK_EQ(order[0], 0);
    CHECK_EQ(order[1], -1);
}

TEST(explanations_fit_their_room)
{
    char out[16];
    struct topology_pin_refusal refusal = {0};
    cpulist_add(&refusal.absent, 1);
    cpulist_add(&refusal.offline, 2);
    CHECK_STR(topology_pin_explain(out, sizeof out, &refusal), "CPU 1 does not ");
}
