// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "collectors/events/event_catalogue.h"
#include "tests/c/check.h"

static const char two_cpus[] = "# a comment\n"
                               "cpu one-x first uno\n"
                               "title One\n"
                               "id Maker 6 0x10-0x1f,0x30 0-4\n"
                               "counters 4 8\n"
                               "offcore 2 own all 0xffff\n"
                               "clusters never -\n"
                               "cpu one-y\n"
                               "id Maker 6 0x10-0x1f 5-15\n"
                               "\n"
                               "for one-x one-y\n"
                               "note k  A note, with blanks.\n"
                               "note l  Another.\n"
                               "any local_dram - 0x1b7 0x4070 pfm,json k,l NAME:X\n"
                               "for one-y\n"
                               "any remote_dram json 0x1b7 0x2070 derived - -\n"
                               "answer any none - - Because.\n";

static struct event_catalogue *parsed(const char *text)
{
    struct event_catalogue *catalogue;
    int line;
    CHECK_EQ(event_catalogue_parse(&catalogue, text, &line), 0);
    return catalogue;
}

static int refused_at(const char *line_after_two_cpus)
{
    char text[2048];
    struct event_catalogue *catalogue;
    int line;
    snprintf(text, sizeof text, "%s%s", two_cpus, line_after_two_cpus);
    int status = event_catalogue_parse(&catalogue, text, &line);
    if (status == 0)
        event_catalogue_free(catalogue);
    else
        CHECK_EQ(line, 18);
    return status;
}

TEST(records_belong_to_the_cpus_named_before_them)
{
    struct event_catalogue *c = parsed(two_cpus);
    CHECK_EQ(c->cpu_count, 2);
    CHECK_EQ(c->event_count, 2);
    const struct event_entry *local = event_catalogue_entry(c, &c->cpus[0], "any", "local_dram", NULL);
    CHECK(local && local == event_catalogue_entry(c, &c->cpus[1], "any", "local_dram", NULL));
    CHECK_EQ(local->config, 0x1b7);
    CHECK_EQ(local->config1, 0x4070);
    CHECK_STR(local->name, "NAME:X");
    CHECK(!event_catalogue_entry(c, &c->cpus[0], "any", "remote_dram", "json"));
    CHECK(!event_catalogue_entry(c, &c->cpus[1], "any", "remote_dram", NULL));
    CHECK(event_catalogue_entry(c, &c->cpus[1], "any", "remote_dram", "json"));
    CHECK(!event_catalogue_answer(c, &c->cpus[0], "any"));
    CHECK_STR(event_catalogue_answer(c, &c->cpus[1], "any")->text, "Because.");
    event_catalogue_free(c);
}

TEST(what_describes_a_cpu_is_kept)
{
    struct event_catalogue *c = parsed(two_cpus);
    const struct event_cpu *cpu = &c->cpus[0];
    CHECK_STR(cpu->other_names[1], "uno");
    CHECK(!cpu->other_names[2]);
    CHECK_EQ(cpu->counters, 4);
    CHECK_EQ(cpu->counters_alone, 8);
    CHECK_EQ(cpu->offcore_registers, 2);
    CHECK(!cpu->offcore_shared);
    CHECK_EQ(cpu->offcore_mask, 0xffff);
    CHECK(!cpu->clusters_text);
    CHECK_EQ(c->cpus[1].offcore_registers, 0);
    event_catalogue_free(c);
}

TEST(a_remark_is_made_of_the_notes)
{
    struct event_catalogue *c = parsed(two_cpus);
    char out[64];
    const struct event_entry *local = event_catalogue_entry(c, &c->cpus[0], "any", "local_dram", NULL);
    CHECK_STR(event_catalogue_remark(c, &c->cpus[0], local, out, sizeof out), "A note, with blanks. Another.");
    CHECK_STR(event_catalogue_remark(c, &c->cpus[0], local, out, 8), "A note,");
    const struct event_entry *remote = event_catalogue_entry(c, &c->cpus[1], "any", "remote_dram", "json");
    CHECK_STR(event_catalogue_remark(c, &c->cpus[1], remote, out, sizeof out), "");
    event_catalogue_free(c);
}

TEST(confidence_follows_from_the_sources)
{
    CHECK_STR(event_catalogue_confidence(&(struct event_entry){.sources = "pfm,json"}), "two");
    CHECK_STR(event_catalogue_confidence(&(struct event_entry){.sources = "pfm"}), "one");
    CHECK_STR(event_catalogue_confidence(&(struct event_entry){.sources = "derived"}), "derived");
    CHECK_STR(event_catalogue_confidence(&(struct event_entry){.sources = "conflict"}), "conflict");
}

TEST(lines_that_are_not_of_the_form_are_refused)
{
    static const char *const bad[] = {
        "any local_dram - 0x1b7 0x4070 pfm - NAME surplus\n",  // too many fields
        "any local_dram - 0x1b7\n",                            // too few
        "any local_dram - - 0x4070 pfm - NAME\n",              // no config
        "any local_dram - 0x1bz 0x4070 pfm - NAME\n",          // no number
        "any local_dram - -1 0x4070 pfm - NAME\n",             //
        "any local_dram - 0x1b7 0x10000000000000000 pfm - -\n", // beyond 64 bits
        "for one-x one-z\n",                                   // no such CPU
        "for\n",                                               //
        "note k\n",                                            // no text
        "answer any full any -\n",                             // a class without groups
        "answer any none\n",                                   // none without a reason
        "cpu\n",                                               //
        "counters 4\n",                                        //
        "counters 4 100000\n",                                 //
        "offcore 2 mine all 0xffff\n",                         //
        "scope thread\n",                                      //
        "sampling load-latency 0x1cd -\n",                     //
        "id Maker\n",                                          //
    };
    CHECK_EQ(refused_at(""), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(refused_at(bad[i]), -EINVAL);
    CHECK_EQ(refused_at("cpu a b c d e f g h i\n"), -ENOSPC);
}

TEST(records_before_a_cpu_are_refused)
{
    struct event_catalogue *c;
    int line;
    CHECK_EQ(event_catalogue_parse(&c, "title X\n", &line), -EINVAL);
    CHECK_EQ(event_catalogue_parse(&c, "cpu a\nnote k text\n", &line), -EINVAL);
    CHECK_EQ(line, 2);
    CHECK_EQ(event_catalogue_parse(&c, "cpu a\nany local_dram - 1 - pfm - -\n", &line), -EINVAL);
}

TEST(more_than_the_limits_is_refused)
{
    char text[EVENT_CATALOGUE_CPUS * 16], *end = text;
    for (int i = 0; i <= EVENT_CATALOGUE_CPUS; i++)
        end += sprintf(end, "cpu name%d\n", i);
    struct event_catalogue *c;
    int line;
    CHECK_EQ(event_catalogue_parse(&c, text, &line), -ENOSPC);
    CHECK_EQ(line, EVENT_CATALOGUE_CPUS + 1);
    CHECK_EQ(event_catalogue_parse(&c, "cpu a\nid a - 1 -\nid a - 2 -\nid a - 3 -\n", &line), -ENOSPC);
    CHECK_EQ(line, 4);
}

static const struct event_cpu *identified(const struct event_catalogue *c, int family, int model, int stepping)
{
    struct cpu_identity identity = {.vendor = "Maker", .family = family, .model = model, .stepping = stepping};
    return event_catalogue_identify(c, &identity);
}

TEST(a_cpu_is_known_by_all_of_its_identity)
{
    struct event_catalogue *c = parsed(two_cpus);
    CHECK(identified(c, 6, 0x10, 4) == &c->cpus[0]);
    CHECK(identified(c, 6, 0x30, 0) == &c->cpus[0]);
    CHECK(identified(c, 6, 0x1f, 5) == &c->cpus[1]);
    CHECK(!identified(c, 6, 0x20, 0));
    CHECK(!identified(c, 7, 0x10, 0));
    CHECK(!identified(c, 6, 0x10, 16));
    CHECK(!identified(c, 6, 0x10, -1));
    CHECK(!identified(c, -1, -1, -1));
    struct cpu_identity other = {.vendor = "Other", .family = 6, .model = 0x10};
    CHECK(!event_catalogue_identify(c, &other));
    event_catalogue_free(c);
}

static int find(const struct event_catalogue *c, const char *name, const struct event_cpu **cpu, const char *near)
{
    char out[64];
    int status = event_catalogue_find(c, name, cpu, out, sizeof out);
    if (status < 0)
        CHECK_STR(out, near);
    return status;
}

TEST(names_are_found_by_an_unambiguous_beginning)
{
    struct event_catalogue *c = parsed(two_cpus);
    const struct event_cpu *cpu = NULL;
    CHECK_EQ(find(c, "one-x", &cpu, ""), 0);
    CHECK(cpu == &c->cpus[0]);
    CHECK_EQ(find(c, "One_Y", &cpu, ""), 0);
    CHECK(cpu == &c->cpus[1]);
    CHECK_EQ(find(c, "FIR", &cpu, ""), 0);
    CHECK(cpu == &c->cpus[0]);
    CHECK_EQ(find(c, "one", &cpu, "one-x, one-y"), -ENOTUNIQ);
    CHECK_EQ(find(c, "one-z", &cpu, "one-x, one-y"), -ENOENT);
    CHECK_EQ(find(c, "firsst", &cpu, "one-x"), -ENOENT);
    CHECK_EQ(find(c, "x", &cpu, ""), -ENOENT);
    CHECK_EQ(find(c, "", &cpu, ""), -ENOENT);
    CHECK_EQ(find(c, "--", &cpu, ""), -ENOENT);
    event_catalogue_free(c);
}

TEST(a_name_wins_over_a_beginning)
{
    struct event_catalogue *c = parsed("cpu alpha-ex\ncpu alpha\n");
    const struct event_cpu *cpu = NULL;
    CHECK_EQ(find(c, "alpha", &cpu, ""), 0);
    CHECK(cpu == &c->cpus[1]);
    event_catalogue_free(c);
}

TEST(the_catalogue_of_the_program_is_readable)
{
    struct event_catalogue *c;
    struct event_catalogue *cpus;
    CHECK_EQ(event_catalogue_load(&c), 0);
    CHECK_EQ(event_catalogue_load_cpus(&cpus), 0);
    CHECK_EQ(cpus->event_count, 0);
    CHECK_EQ(cpus->cpu_count, c->cpu_count);
    for (int i = 0; i < c->cpu_count; i++) {
        CHECK_EQ(strcmp(cpus->cpus[i].name, c->cpus[i].name), 0);
        CHECK_EQ(strcmp(cpus->cpus[i].ids[0].vendor, c->cpus[i].ids[0].vendor), 0);
        CHECK_EQ(cpus->cpus[i].counters, c->cpus[i].counters);
    }
    event_catalogue_free(cpus);
    CHECK(c->cpu_count > 25 && c->event_count > 300);
    event_catalogue_free(c);
}
