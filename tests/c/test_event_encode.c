// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "collectors/events/event_encode.h"
#include "real_catalogue.h"

static const struct event_entry *event(const char *name, const char *class, const char *placement)
{
    const struct event_cpu *cpu = real_cpu(name);
    const struct event_entry *found = event_catalogue_entry(catalogue, cpu, class, placement, NULL);
    CHECK(found);
    return found;
}

TEST(numbers_of_core_events_are_raw)
{
    struct perf_event_attr attr = {0};
    const struct event_cpu *skylake = real_cpu("skylake-sp");
    CHECK_EQ(event_encode(&attr, "/nonexistent", skylake, event("skylake-sp", "pf_any", "remote_dram")), 0);
    CHECK_EQ(attr.type, PERF_TYPE_RAW);
    CHECK_EQ(attr.size, sizeof attr);
    CHECK_EQ(attr.config, 0x1b7);
    CHECK_EQ(attr.config1, 0x7b80005b0);
}

TEST(a_pmu_of_its_own_is_looked_up)
{
    struct perf_event_attr attr = {0};
    const struct event_cpu *bulldozer = real_cpu("amd-15h");
    const struct event_entry *remote = event("amd-15h", "any", "remote_dram");
    CHECK_EQ(event_encode(&attr, "root", bulldozer, remote), -ENOENT);
    check_write("root/sys/bus/event_source/devices/amd_nb/type", "17\n");
    CHECK_EQ(event_encode(&attr, "root", bulldozer, remote), 0);
    CHECK_EQ(attr.type, 17);
    CHECK_EQ(attr.config, 0x98e9);
}

TEST(names_are_encoded_for_other_cpus_than_this_one)
{
    struct perf_event_attr attr = {0};
    CHECK_EQ(event_encode_name(&attr, real_cpu("nehalem-ep"), event("nehalem-ep", "pf_any", "remote_dram")), 0);
    CHECK_EQ(attr.type, PERF_TYPE_RAW);
    CHECK_EQ(attr.config, 0x1b7);
    CHECK_EQ(attr.config1, 0x2070);
    attr = (struct perf_event_attr){0};
    CHECK_EQ(event_encode_name(&attr, real_cpu("amd-15h"), event("amd-15h", "any", "local_dram")), 0);
    CHECK_EQ(attr.config, 0xa8e9);
}

TEST(events_without_a_usable_name_say_which_way)
{
    struct perf_event_attr attr = {0};
    CHECK_EQ(event_encode_name(&attr, real_cpu("zen5"), event("zen5", "any_l2", "local_dram")), -ENODATA);
    CHECK_EQ(event_encode_name(&attr, real_cpu("skylake-sp"), event("skylake-sp", "any", "remote_dram")), -ENODATA);
    struct event_cpu odd = {.libpfm = "no_such_table"};
    struct event_entry named = {.name = "X"};
    CHECK_EQ(event_encode_name(&attr, &odd, &named), -ENOENT);
    odd.libpfm = "skx";
    CHECK_EQ(event_encode_name(&attr, &odd, &named), -EINVAL);
}
