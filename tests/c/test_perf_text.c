// SPDX-License-Identifier: Apache-2.0
// Lines of perf script, as versions of perf write them.
#include "profiler/import/perf_text/perf_text_header.h"
#include "profiler/import/perf_text/perf_text_line.h"

#include <stdio.h>

#include "check.h"

enum { DATA = 0x7f10, SOURCE = 0x1a, WEIGHT = 300, CODE = 0x4010, PHYSICAL = 0x8a };
#define WORDS "|OP LOAD|LVL RAM|SNP N/A|TLB L1 or L2 hit|LCK No"

static struct perf_text_sample read_sample(const char *text, bool is_chain)
{
    char line[512];
    struct perf_text_sample sample;
    snprintf(line, sizeof line, "%s", text);
    CHECK(perf_text_line_sample(line, is_chain, &sample));
    return sample;
}

static void check_whole(const char *text)
{
    const struct perf_text_sample sample = read_sample(text, false);
    CHECK(sample.has_address && sample.has_source && sample.has_weight && sample.has_ip && sample.has_physical);
    CHECK_EQ(sample.address, DATA);
    CHECK_EQ(sample.source, SOURCE);
    CHECK_EQ(sample.weight, WEIGHT);
    CHECK_EQ(sample.ip, CODE);
    CHECK_EQ(sample.physical, PHYSICAL);
}

TEST(a_whole_sample_in_every_form)
{
    check_whole("1 e:  7f10  1a " WORDS "|BLK  N/A    300    4010 main+0x4 (/bin/a)    8a");
    check_whole("1 e:  7f10  1a " WORDS "             300    4010 main+0x4 (/bin/a)    8a"); // before Linux 5.12
    check_whole("1 e:  7f10  1a " WORDS "|BLK  Data   300    4010    8a");                  // -F -sym,-dso
    check_whole("1 e:  7f10 table+0x10 (/bin/a)  1a " WORDS "|BLK  N/A  300  4010 f(int, char)+0x4 (/bin/a)  8a");
    check_whole("1 e:  7f10 [unknown] (//anon)  1a " WORDS "|BLK  N/A  300  17 4010 a::operator|(b) (/bin/a)  8a 4K");
    check_whole("1 e:  7f10 x (/tmp/a (deleted))  1a " WORDS "|BLK  N/A  300  4010 x (/tmp/a (deleted))  8a");
}

TEST(numbers_that_may_be_another_field_are_not_taken)
{
    struct perf_text_sample sample = read_sample("1 e: 7f10 1a " WORDS "|BLK  N/A  300  4010", false);
    CHECK(sample.has_address && sample.has_source && !sample.has_weight && !sample.has_ip && !sample.has_physical);
    sample = read_sample("1 e: 7f10 1a " WORDS "|BLK  N/A  4010 main (/bin/a)", false);
    CHECK(sample.has_ip && !sample.has_weight && !sample.has_physical);
    sample = read_sample("1 e: 1a " WORDS "|BLK  N/A  300  4010 main (/bin/a)", false);
    CHECK(sample.has_source && !sample.has_address && sample.has_weight);
    sample =
        read_sample("1 page-faults:u: 4010 main (/bin/a)", false);
    CHECK(!sample.has_address && !sample.has_ip);
}

TEST(samples_with_call_chains)
{
    struct perf_text_sample sample = read_sample("e: 7f10 1a " WORDS "|BLK  N/A  300", true);
    CHECK(sample.has_address && sample.has_source && sample.has_weight && !sample.has_period && !sample.has_ip);
    sample = read_sample("5 page-faults:u: 7f10 x+0x1 (//anon)", true);
    CHECK(sample.has_address && !sample.has_source && !sample.has_weight);
    CHECK_EQ(sample.period, 5);
    CHECK(strcmp(sample.event, "page-faults:u") == 0);
}

TEST(page_faults_have_two_groups)
{
    const struct perf_text_sample sample =
        read_sample("1 page-faults: 7f10 x+0x1 (//anon) 4010 f(int) (/bin/a) 8a", false);
    CHECK(sample.has_address && sample.has_ip && sample.has_physical);
    CHECK_EQ(sample.ip, CODE);
    CHECK_EQ(sample.physical, PHYSICAL);
}

static bool read_head(const char *text, struct perf_text_head *head)
{
    static char line[256];
    snprintf(line, sizeof line, "%s", text);
    return perf_text_line_head(line, head);
}

TEST(thread_cpu_and_time)
{
    struct perf_text_head head;
    CHECK(read_head("   a name 1/2  7/8   [003]  12.000034:  e: 7f", &head));
    CHECK(strcmp(head.comm, "a name 1/2") == 0 && strcmp(head.rest, "e: 7f") == 0);
    CHECK(head.pid == 7 && head.tid == 8 && head.cpu == 3 && head.time == 12000034000);
    CHECK(read_head("solve 8 12.000000034: e:", &head));
    CHECK(head.pid == -1 && head.tid == 8 && head.cpu == -1 && head.time == 12000000034);
    CHECK(read_head(":-1 7/-1 [000] 1.000000: e:", &head));
    CHECK(head.pid == 7 && head.tid == -1);
    CHECK(!read_head("solve 12.000034: e: 7f", &head));
    CHECK(!read_head("solve 8 [003] e: 7f", &head));
    CHECK(!read_head("", &head));
}

TEST(frames)
{
    char deleted[] = "\t    1ab78 f(int)+0x4 (/tmp/a b (deleted))", inlined[] = "\t   7 f (inlined)";
    char bare[] = "\t  7f10";
    char other[] = "   1ab78 f (/bin/a)", unknown[] = "\t  7f10 [unknown] ([unknown])";
    uint64_t place;
    const char *file;
    CHECK(perf_text_line_frame(deleted, &place, &file) && place == 0x1ab78);
    CHECK(strcmp(file, "/tmp/a b (deleted)") == 0);
    CHECK(perf_text_line_frame(inlined, &place, &file) && strcmp(file, "inlined") == 0);
    CHECK(perf_text_line_frame(bare, &place, &file) && strcmp(file, "") == 0 && place == DATA);
    CHECK(perf_text_line_frame(unknown, &place, &file) && strcmp(file, "[unknown]") == 0);
    CHECK(!perf_text_line_frame(other, &place, &file));
}

TEST(events_of_the_header)
{
    char newer[] = "# event : name = cpu/mem-loads,ldlat=30/P, , id = { 1, 2 }, type = 4 (cpu), size = 136, "
                   "config = 0x1cd (mem-loads), { sample_period, sample_freq } = 4000, freq = 1, "
                   "{ bp_addr, config1 } = 0x1e";
    char older[] = "# event : name = page-faults:u, , id = { 3 }, type = 1, size = 112, config = 0x2, "
                   "{ sample_period, sample_freq } = 1, exclude_kernel = 1";
    char other[] = "# cpuid : GenuineIntel,6,85,4";
    struct perf_event_attr attr;
    const char *name = perf_text_header_event(newer, &attr);
    CHECK(name && strcmp(name, "cpu/mem-loads,ldlat=30/P") == 0);
    CHECK(attr.type == 4 && attr.config == 0x1cd && attr.config1 == 0x1e && attr.sample_period == 4000 && attr.freq);
    name = perf_text_header_event(older, &attr);
    CHECK(name && strcmp(name, "page-faults:u") == 0);
    CHECK(attr.type == 1 && attr.config == 2 && attr.sample_period == 1 && !attr.freq && attr.exclude_kernel);
    CHECK(!perf_text_header_event(other, &attr));
}

static void take_all(struct perf_features *features, const char *const *lines)
{
    for (; *lines; lines++)
        CHECK_EQ(perf_text_header_take(features, *lines), 0);
}

TEST(the_machine_of_the_header)
{
    struct perf_features features = {0};
    static const char *const lines[] = {
        "# hostname : there", "# cmdline : /usr/bin/perf mem record -- ./solve a.in ",
        "# node0 cpu list : 0-7", "# CPU 1: Core ID 4, Die ID 0, Socket ID 1", "# CPU 99999: Core ID 0, Socket ID 0",
        "# node0 meminfo  : total = 1024 kB, free = 512 kB", "# node0 cpu list : 0-3",
        "# node1 meminfo  : total = 2048 kB, free = 512 kB", "# node1 cpu list : 4-7",
        "#    0 [4G]: 5", "# memory nodes (nr 2, block size 0x8000000):", "#    0 [4G]: 0-1,3", "#    1 [4G]: 2", NULL,
    };
    take_all(&features, lines);
    CHECK(strcmp(features.host, "there") == 0);
    CHECK_EQ(features.command_count, 6);
    CHECK(strcmp(features.command[5], "a.in") == 0);
    CHECK(features.cpus[1].core == 4 && features.cpus[1].package == 1 && features.cpus[0].core == -1);
    CHECK(features.node_count == 2 && features.nodes[1].id == 1 && features.nodes[1].mem_bytes == 2 << 20);
    CHECK(strcmp(features.nodes[0].cpus, "0-3") == 0 && strcmp(features.nodes[1].cpus, "4-7") == 0);
    for (int block = 0; block < 4; block++)
        CHECK_EQ(perf_features_node_of(&features, ((uint64_t)block << 27) + 1), block == 2);
    CHECK_EQ(perf_features_node_of(&features, UINT64_C(5) << 27), -1);
    perf_features_free(&features);
}

// perf cuts the list of blocks after 99 characters: "60" may be the begin of "600-700".
TEST(the_last_number_of_a_cut_list_is_not_taken)
{
    struct perf_features features = {0};
    static const char *const lines[] = {
        "# memory nodes (nr 1, block size 0x8000000):",
        "#    0 [64G]: 10,20,30,40,50,60,70,80,90,11,21,31,41,51,61,71,81,91,"
        "12,22,32,42,52,62,72,82,92,13,23,33,43,53,600",
        NULL,
    };
    take_all(&features, lines);
    CHECK_EQ(perf_features_node_of(&features, UINT64_C(53) << 27), 0);
    CHECK_EQ(perf_features_node_of(&features, UINT64_C(600) << 27), -1);
    perf_features_free(&features);
}
