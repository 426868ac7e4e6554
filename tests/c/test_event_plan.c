// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "collectors/events/event_plan.h"
#include "tests/c/check.h"

static const char text[] = "cpu c\n"
                           "clusters snc Split.\n"
                           "for c\n"
                           "demand_rd local_dram  -   0x1 0x11 pfm - -\n"
                           "demand_rd remote_dram -   0x1 0x12 pfm - -\n"
                           "demand_rd local_dram  snc 0x1 0x13 pfm - -\n"
                           "retired_load local_dram  - 0x2 - pfm - -\n"
                           "retired_load remote_dram - 0x3 - pfm - -\n"
                           "answer demand_rd  full   demand_rd    local_dram,remote_dram -\n"
                           "answer demand_rfo merged demand_rd    local_dram,remote_dram Both.\n"
                           "answer any        full   demand_rd    local_dram/remote_dram -\n"
                           "answer retired    full   retired_load local_dram,remote_dram -\n"
                           "answer caches     none   -            -                      Why not.\n"
                           "answer prefetch   full   pf_any       local_dram             -\n"
                           "answer nodes      full   demand_rd    local_dram,            -\n";

static struct event_catalogue *catalogue;

static int make(struct event_plan *plan, const char *topics, bool split)
{
    int line;
    if (!catalogue)
        CHECK_EQ(event_catalogue_parse(&catalogue, text, &line), 0);
    const struct event_plan_request request = {.topics = topics, .split = split};
    return event_plan_make(plan, catalogue, &catalogue->cpus[0], &request);
}

TEST(groups_stand_in_the_order_of_the_request)
{
    struct event_plan plan;
    CHECK_EQ(make(&plan, "retired,demand_rd", false), 0);
    CHECK_EQ(plan.group_count, 2);
    CHECK_STR(plan.groups[0].events[0]->class, "retired_load");
    CHECK_EQ(plan.groups[1].count, 2);
    CHECK_EQ(plan.groups[1].events[1]->config1, 0x12);
}

TEST(one_group_answers_two_questions)
{
    struct event_plan plan;
    CHECK_EQ(make(&plan, "demand_rd,demand_rfo", false), 0);
    CHECK_EQ(plan.answer_count, 2);
    CHECK_EQ(plan.group_count, 1);
    CHECK_STR(plan.answers[1].status, "merged");
    CHECK_STR(plan.answers[1].why, "Both.");
}

TEST(what_cannot_count_together_takes_turns)
{
    struct event_plan plan;
    CHECK_EQ(make(&plan, "any", false), 0);
    CHECK_EQ(plan.group_count, 2);
    CHECK_EQ(plan.groups[0].count, 1);
    CHECK(plan.answers[0].in_turn);
    CHECK_STR(plan.answers[0].why, "Counted in turn, not at the same time.");
}

TEST(what_takes_turns_is_opened_last)
{
    struct event_plan plan;
    CHECK_EQ(make(&plan, "any,retired", false), 0);
    CHECK_EQ(plan.group_count, 3);
    CHECK_STR(plan.groups[0].events[0]->class, "retired_load");
    CHECK_STR(plan.answers[0].topic, "any");
}

TEST(split_sockets_take_their_own_events_where_there_are_some)
{
    struct event_plan plan;
    CHECK_EQ(make(&plan, "demand_rd,retired", true), 0);
    CHECK_EQ(plan.groups[0].events[0]->config1, 0x13);
    CHECK_EQ(plan.groups[0].events[1]->config1, 0x12);
    CHECK_STR(plan.answers[0].status, "full");
    CHECK_STR(plan.answers[1].status, "partial");
    CHECK(strstr(plan.answers[1].why, "split socket"));
}

// On Arm a package's number may be an offset into a firmware table.
TEST(sockets_are_split_whatever_their_numbers)
{
    struct topology_node nodes[] = {{.package = 21334}, {.package = TOPOLOGY_UNKNOWN}, {.package = TOPOLOGY_UNKNOWN},
                                    {.package = 21335}};
    const struct topology machine = {.node_count = 4, .nodes = nodes};
    CHECK(!event_plan_sockets_are_split(&machine));
    nodes[3].package = 21334;
    CHECK(event_plan_sockets_are_split(&machine));
}

TEST(the_slow_tier_is_asked_for_where_there_is_one)
{
    struct topology_node nodes[] = {{.id = 0, .memory = TOPOLOGY_MEMORY_DRAM},
                                    {.id = 1, .memory = TOPOLOGY_MEMORY_HBM}};
    const struct topology machine = {.node_count = 2, .nodes = nodes};
    CHECK(!strstr(event_plan_usual(&machine), "slow"));
    nodes[1].memory = TOPOLOGY_MEMORY_CXL;
    CHECK(strstr(event_plan_usual(&machine), ",slow"));
    CHECK(event_plan_knows_topics(event_plan_usual(&machine)));
}

TEST(nothing_is_opened_for_what_the_cpu_cannot_tell)
{
    struct event_plan plan;
    CHECK_EQ(make(&plan, "caches", false), 0);
    CHECK_EQ(plan.group_count, 0);
    CHECK(!plan.answers[0].class);
    CHECK_STR(plan.answers[0].why, "Why not.");
}

TEST(wrong_requests_and_wrong_data_are_refused)
{
    struct event_plan plan;
    const char *const bad[] = {"", "nothing", "any,", ",any", "any,,retired", "prefetch", "nodes",
                               "a_topic_that_is_much_longer_than_any_topic_will_ever_be"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(make(&plan, bad[i], false), -EINVAL);
}
