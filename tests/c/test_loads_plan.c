// SPDX-License-Identifier: Apache-2.0
#include "collectors/loads/loads_plan.h"

#include <errno.h>

#include "real_catalogue.h"

static int make(struct loads_plan *plan, const char *name, const char *root, int attempt)
{
    const struct event_cpu *of = real_cpu(name);
    return loads_plan(plan, catalogue, of, root, attempt);
}

static void make_ibs(bool filters)
{
    check_write("root/sys/bus/event_source/devices/ibs_op/type", "11\n");
    check_write("root/sys/bus/event_source/devices/ibs_op/format/cnt_ctl", "config:19\n");
    if (filters)
        check_write("root/sys/bus/event_source/devices/ibs_op/format/swfilt", "config2:0\n");
}

TEST(load_latency_has_its_threshold)
{
    struct loads_plan plan;
    CHECK_EQ(make(&plan, "skylake-sp", "/nonexistent", 0), 0);
    CHECK_EQ(plan.count, 1);
    CHECK_EQ(plan.events[0].attr.config, 0x1cd);
    CHECK_EQ(plan.events[0].attr.config1, LOADS_THRESHOLD_CYCLES);
    CHECK(plan.events[0].attr.precise_ip > 0);
    CHECK_EQ(plan.events[0].source, LOAD_UNKNOWN);
}

TEST(sapphire_rapids_has_a_leader)
{
    struct loads_plan plan;
    CHECK_EQ(make(&plan, "sapphire-rapids", "/nonexistent", 0), 0);
    CHECK_EQ(plan.count, 2);
    CHECK_EQ(plan.events[0].attr.config, 0x8203);
    CHECK(!plan.events[0].sampled && plan.events[1].sampled);
}

TEST(on_an_unknown_model_the_kernel_names_the_events)
{
    struct loads_plan plan;
    CHECK_EQ(make(&plan, "intel-other", "/nonexistent", 0), -ENOTSUP);
    check_write("root/sys/bus/event_source/devices/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
    CHECK_EQ(make(&plan, "intel-other", "root", 0), 0);
    CHECK_EQ(plan.count, 1);
    CHECK_EQ(plan.events[0].attr.config, 0x1cd);
    CHECK_EQ(plan.events[0].attr.config1, LOADS_THRESHOLD_CYCLES);
    check_write("root/sys/bus/event_source/devices/cpu/events/mem-loads-aux", "event=0x03,umask=0x82\n");
    CHECK_EQ(make(&plan, "intel-other", "root", 0), 0);
    CHECK_EQ(plan.count, 2);
    CHECK_EQ(plan.events[0].attr.config, 0x8203);
    CHECK(!plan.events[0].sampled && plan.events[1].sampled);
    // The model's own row wins, and what is no event is not opened.
    CHECK_EQ(make(&plan, "skylake-sp", "root", 0), 0);
    CHECK_EQ(plan.count, 1);
    check_write("root/sys/bus/event_source/devices/cpu/events/mem-loads", "config=0x1cd\n");
    CHECK_EQ(make(&plan, "intel-other", "root", 0), -ENOTSUP);
}

TEST(without_load_latency_retired_loads_tell_the_address)
{
    struct loads_plan plan;
    CHECK_EQ(make(&plan, "skylake-sp", "/nonexistent", 2), 0);
    CHECK_EQ(plan.count, 2);
    CHECK_EQ(plan.events[0].source, LOAD_LOCAL_DRAM);
    CHECK_EQ(plan.events[1].source, LOAD_REMOTE_DRAM);
    CHECK(plan.events[0].attr.config != plan.events[1].attr.config);
    CHECK(plan.events[0].attr.precise_ip > 0 && plan.events[1].attr.precise_ip > 0);
}

TEST(guests_that_cannot_name_the_very_instruction_get_the_next_best)
{
    struct loads_plan plan;
    const unsigned precise[] = {2, 1, 2, 1}; // load latency, then retired loads
    for (int attempt = 0; attempt < LOADS_PLAN_ATTEMPTS; attempt++) {
        CHECK_EQ(make(&plan, "skylake-sp", "/nonexistent", attempt), 0);
        CHECK_EQ(plan.events[plan.count - 1].attr.precise_ip, precise[attempt]);
    }
}

TEST(ibs_that_cannot_leave_the_kernel_out_samples_it)
{
    struct loads_plan plan;
    make_ibs(false);
    CHECK_EQ(make(&plan, "zen3", "root", 0), 0);
    CHECK_EQ(plan.events[0].attr.type, 11);
    CHECK_EQ(plan.events[0].attr.config, 1 << 19); // operations
    CHECK_EQ(plan.events[0].attr.config2, 0);
    CHECK(!plan.with_kernel);
    CHECK_EQ(plan.period_step, 16);
    CHECK_EQ(make(&plan, "zen3", "root", 1), 0);
    CHECK(plan.with_kernel);
}

TEST(ibs_that_knows_no_tasks_samples_cpus)
{
    struct loads_plan plan;
    make_ibs(false);
    CHECK_EQ(make(&plan, "zen3", "root", 1), 0);
    CHECK(!plan.of_cpus);
    CHECK_EQ(make(&plan, "zen3", "root", 2), 0);
    CHECK(plan.of_cpus && plan.with_kernel);
    CHECK(plan.with_registers); // such kernels may not decode them
    CHECK_EQ(plan.least_period, 0x90);
    CHECK_EQ(make(&plan, "zen3", "root", 3), -ENOTSUP);
}

TEST(newer_kernels_filter_what_ibs_samples)
{
    struct loads_plan plan;
    make_ibs(true);
    CHECK_EQ(make(&plan, "zen3", "root", 0), 0);
    CHECK_EQ(plan.events[0].attr.config2, 1);
    CHECK_EQ(make(&plan, "zen3", "root", 1), 0);
    CHECK_EQ(plan.events[0].attr.config2, 0);
}

TEST(what_cannot_sample_says_so)
{
    struct loads_plan plan;
    CHECK_EQ(make(&plan, "zen3", "/nonexistent", 0), -ENOTSUP); // a kernel without IBS
    CHECK_EQ(make(&plan, "neoverse-n1", "/nonexistent", 0), -ENOTSUP);
    CHECK_EQ(make(&plan, "neoverse-n1", "/nonexistent", 1), -ENOTSUP);
}
