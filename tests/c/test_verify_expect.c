// SPDX-License-Identifier: Apache-2.0
// What each event must count of each access pattern, by the catalogue; and the words for counts made by hand.
#include "profiler/verify/verify_expect.h"
#include "real_catalogue.h"

enum { LINES = 8192 };

static const struct verify_pair own = {.memory = VERIFY_OWN, .cache = VERIFY_FAR},
                                far = {.memory = VERIFY_FAR, .cache = VERIFY_FAR, .to_node = 1},
                                near = {.memory = VERIFY_NEAR, .cache = VERIFY_FAR, .to_node = 1},
                                alone = {.memory = VERIFY_OWN, .cache = VERIFY_OWN},
                                tier = {.memory = VERIFY_NEAR, .cache = VERIFY_FAR, .to_node = 2, .is_tier = true,
                                        .link = VERIFY_OWN},
                                far_tier = {.memory = VERIFY_FAR, .cache = VERIFY_FAR, .to_node = 2, .is_tier = true,
                                            .link = VERIFY_FAR},
                                some_tier = {.memory = VERIFY_NEAR, .cache = VERIFY_FAR, .to_node = 2, .is_tier = true,
                                             .link = VERIFY_NEAR};

static struct verify_range expected(const char *cpu_name, const char *class, const char *placement,
                                    enum verify_pattern pattern, const struct verify_pair *pair, double demand)
{
    const struct event_cpu *cpu = real_cpu(cpu_name);
    const struct event_entry *event = event_catalogue_entry(catalogue, cpu, class, placement, NULL);
    CHECK(event);
    const struct verify_seen seen = {.stream_demand = demand, .stream_twin = -1, .caches = -1, .memory = -1};
    return verify_expect(catalogue, cpu, event, pattern, pair, &seen);
}

static void check(struct verify_range range, double least, double most)
{
    CHECK(range.known);
    CHECK(range.least == least);
    CHECK(range.most == most);
}

TEST(a_slow_tier_answers_through_the_link_of_its_package)
{
    check(expected("graniterapids", "demand_rd", "local_cxl", VERIFY_RANDOM, &tier, -1), 1, 1);
    check(expected("graniterapids", "demand_rd", "remote_cxl", VERIFY_RANDOM, &tier, -1), 0, 0);
    check(expected("graniterapids", "demand_rd", "local_cxl", VERIFY_RANDOM, &far_tier, -1), 0, 0);
    check(expected("graniterapids", "demand_rd", "remote_cxl", VERIFY_RANDOM, &far_tier, -1), 1, 1);
    CHECK(!expected("graniterapids", "demand_rd", "local_cxl", VERIFY_RANDOM, &some_tier, -1).known);
    check(expected("zen4", "demand", "any_cxl", VERIFY_RANDOM, &some_tier, -1), 1, 1);
    check(expected("zen4", "demand", "any_cxl", VERIFY_RANDOM, &own, -1), 0, 0);
    check(expected("graniterapids", "demand_rd", "remote_cxl", VERIFY_RANDOM, &far, -1), 0, 0);
}

TEST(demand_reads_count_every_random_read_of_their_memory_and_no_other)
{
    check(expected("skylake-sp", "demand_rd", "local_dram", VERIFY_RANDOM, &own, -1), 1, 1);
    check(expected("skylake-sp", "demand_rd", "local_dram", VERIFY_RANDOM, &far, -1), 0, 0);
    check(expected("skylake-sp", "demand_rd", "remote_dram", VERIFY_RANDOM, &far, -1), 1, 1);
    check(expected("skylake-sp", "demand_rd", "local_dram", VERIFY_STORES, &own, -1), 0, 0);
    check(expected("zen3", "demand", "local_dram", VERIFY_STORES, &own, -1), 1, 1);
}

// Prefetchers complete pairs of lines and follow what looks like a stream, also of random reads.
TEST(demand_lacks_the_lines_that_prefetchers_took)
{
    const struct event_cpu *cpu = real_cpu("skylake-sp");
    const struct event_entry *event = event_catalogue_entry(catalogue, cpu, "demand_rd", "local_dram", NULL);
    const struct {
        double prefetched, least;
    } cases[] = {{0, 1}, {0.2, 0.8}, {0.9, 1 - 0.33}, {-1, 1 - 0.33}}; // too many excuse little; not counted: some
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct verify_seen seen = {.prefetched = cases[i].prefetched, .stream_demand = -1, .stream_twin = -1,
                                         .caches = -1, .memory = -1};
        const struct verify_range range = verify_expect(catalogue, cpu, event, VERIFY_RANDOM, &own, &seen);
        check(range, cases[i].least, 1);
        CHECK_EQ(verify_expect_word(&range, cases[i].least), VERIFY_RIGHT);
        CHECK_EQ(verify_expect_word(&range, 0.5), VERIFY_HALF);
        CHECK_EQ(verify_expect_word(&range, 2), VERIFY_DOUBLE);
        CHECK_EQ(verify_expect_word(&range, 0.01), VERIFY_NOTHING);
    }
}

TEST(what_local_means_of_a_node_in_the_same_package_is_not_presumed)
{
    CHECK(!expected("skylake-sp", "demand_rd", "local_dram", VERIFY_RANDOM, &near, -1).known);
    CHECK(!expected("skylake-sp", "demand_rd", "remote_dram", VERIFY_RANDOM, &near, -1).known);
}

TEST(prefetches_are_the_lines_of_a_stream_that_no_demand_read_counted)
{
    check(expected("skylake-sp", "pf_any", "local_dram", VERIFY_STREAM, &own, 0.25), 0.75, 0.75);
    // Prefetches into L3 are known by home only: pf_any lacks them.
    check(expected("sapphirerapids", "pf_any", "local_dram", VERIFY_STREAM, &own, 0.25), 0, 0.75);
    check(expected("zen3", "pf_l1", "remote_dram", VERIFY_STREAM, &far, 0.25), 0, 0.75);
    check(expected("zen3", "pf_l1", "remote_dram", VERIFY_STREAM, &far, -1), 0, 1);
}

TEST(a_prefetcher_that_brings_one_memory_brings_some_of_the_other)
{
    const struct event_cpu *cpu = real_cpu("zen3");
    const struct event_entry *event = event_catalogue_entry(catalogue, cpu, "pf_l1", "remote_dram", NULL);
    const struct verify_seen brings = {.stream_demand = 0.25, .stream_twin = 0.7, .caches = -1, .memory = -1},
                             hardly = {.stream_demand = 0.25, .stream_twin = 0.1, .caches = -1, .memory = -1},
                             demand = {.stream_demand = 0.9, .stream_twin = 0.7, .caches = -1, .memory = -1};
    const struct verify_range some = verify_expect(catalogue, cpu, event, VERIFY_STREAM, &far, &brings);
    CHECK_EQ(verify_expect_word(&some, 0), VERIFY_NOTHING);
    CHECK_EQ(verify_expect_word(&some, 0.07), VERIFY_RIGHT);
    CHECK_EQ(verify_expect_word(&some, 0.75), VERIFY_RIGHT);
    check(verify_expect(catalogue, cpu, event, VERIFY_STREAM, &far, &hardly), 0, 0.75);
    CHECK(verify_expect(catalogue, cpu, event, VERIFY_STREAM, &far, &demand).least == 0);
}

TEST(memory_events_do_not_count_lines_of_another_cache_unless_the_catalogue_says_so)
{
    check(expected("skylake-sp", "demand_rd", "remote_dram", VERIFY_TAKEN, &far, -1), 0, 0);
    check(expected("skylake-sp", "demand_rd", "remote_modified", VERIFY_TAKEN, &own, -1), 1, 1);
    CHECK(!expected("nehalem-ep", "retired_load", "local_dram", VERIFY_TAKEN, &own, -1).known); // by the home
    CHECK(!expected("skylake-sp", "demand_rd", "remote_modified", VERIFY_TAKEN, &alone, -1).known);
}

TEST(modified_lines_that_were_written_back_before_count_as_memory)
{
    const struct event_cpu *cpu = real_cpu("skylake-sp");
    const struct event_entry *dram = event_catalogue_entry(catalogue, cpu, "demand_rd", "remote_dram", NULL),
                             *cache = event_catalogue_entry(catalogue, cpu, "demand_rd", "remote_modified", NULL);
    const struct verify_seen some = {.stream_demand = -1, .stream_twin = -1, .caches = 0.75, .memory = 0.125},
                             all = {.stream_demand = -1, .stream_twin = -1, .caches = 1, .memory = 1};
    check(verify_expect(catalogue, cpu, dram, VERIFY_TAKEN, &own, &some), 0, 0.75);
    check(verify_expect(catalogue, cpu, cache, VERIFY_TAKEN, &own, &some), 0.625, 1);
    // Memory that counts what the caches answered is defective all the same.
    check(verify_expect(catalogue, cpu, dram, VERIFY_TAKEN, &own, &all), 0, 0);
    check(verify_expect(catalogue, cpu, dram, VERIFY_RANDOM, &own, &some), 0, 0);
}

TEST(nothing_counts_hits_in_the_own_cache_or_what_a_neighbour_does)
{
    check(expected("skylake-sp", "any", "local_dram", VERIFY_CACHED, &own, -1), 0, 0);
    check(expected("nehalem-ep", "any", "local_cache", VERIFY_NEIGHBOUR, &own, -1), 0, 0);
}

TEST(words_for_one_count)
{
    const struct verify_range each = {true, 1, 1}, none = {true, 0, 0}, at_most = {true, 0, 1}, pair = {true, 1, 2};
    CHECK_EQ(verify_expect_word(&each, 1.0), VERIFY_RIGHT);
    CHECK_EQ(verify_expect_word(&each, 0.91), VERIFY_RIGHT);
    CHECK_EQ(verify_expect_word(&each, 1.09), VERIFY_RIGHT);
    CHECK_EQ(verify_expect_word(&each, 0.80), VERIFY_OTHER);
    CHECK_EQ(verify_expect_word(&each, 1.20), VERIFY_OTHER);
    CHECK_EQ(verify_expect_word(&each, 0.0), VERIFY_NOTHING);
    CHECK_EQ(verify_expect_word(&each, 0.5), VERIFY_HALF);
    CHECK_EQ(verify_expect_word(&each, 2.0), VERIFY_DOUBLE);
    CHECK_EQ(verify_expect_word(&none, 0.04), VERIFY_RIGHT);
    CHECK_EQ(verify_expect_word(&none, 0.06), VERIFY_OTHER);
    CHECK_EQ(verify_expect_word(&at_most, 0.0), VERIFY_RIGHT);
    CHECK_EQ(verify_expect_word(&at_most, 2.0), VERIFY_DOUBLE);
    CHECK_EQ(verify_expect_word(&pair, 2.0), VERIFY_RIGHT);
    CHECK_EQ(verify_expect_word(&pair, 0.5), VERIFY_HALF);
}

static struct verify one_pair(void)
{
    const int node = 0;
    struct verify verify;
    CHECK_EQ(verify_make(&verify, &node, 1, &node, 1), 0);
    verify.lines = LINES;
    verify.event_count = 1;
    return verify;
}

static void put(struct verify *verify, enum verify_pattern pattern, double least, double most, double share)
{
    const struct verify_range range = {true, least, most};
    *verify_cell(verify, 0, pattern, 0, 0) = (struct verify_cell){.counted = true,
                                                                 .compared = true,
                                                                 .lines = (uint64_t)(share * LINES),
                                                                 .least = least * LINES,
                                                                 .most = most * LINES,
                                                                 .word = verify_expect_word(&range, share)};
}

TEST(an_event_that_only_ever_had_to_count_nothing_is_not_verified)
{
    struct verify verify = one_pair();
    put(&verify, VERIFY_CACHED, 0, 0, 0);
    verify_expect_judge(&verify, 0);
    CHECK_EQ(verify.events[0].word, VERIFY_UNKNOWN);
    verify_free(&verify);
}

TEST(an_event_is_verified_by_what_it_counts_and_by_what_it_does_not)
{
    struct verify verify = one_pair();
    put(&verify, VERIFY_RANDOM, 1, 1, 1);
    put(&verify, VERIFY_TAKEN, 0, 0, 0);
    verify_expect_judge(&verify, 0);
    CHECK_EQ(verify.events[0].word, VERIFY_RIGHT);
    put(&verify, VERIFY_TAKEN, 0, 0, 1);
    verify_expect_judge(&verify, 0);
    CHECK_EQ(verify.events[0].word, VERIFY_OTHER);
    CHECK_STR(verify.events[0].why, "random reads of lines modified in another node, CPUs of node 0, memory of node 0: "
                                    "8192 counted, 0 expected");
    verify_free(&verify);
}

TEST(a_number_that_nobody_knows_is_verified_in_part)
{
    struct verify verify = one_pair();
    put(&verify, VERIFY_STREAM, 0, 0.9, 0.8);
    verify_expect_judge(&verify, 0);
    CHECK_EQ(verify.events[0].word, VERIFY_PARTLY);
    put(&verify, VERIFY_STREAM, 0, 0.9, 1.8);
    verify_expect_judge(&verify, 0);
    CHECK_EQ(verify.events[0].word, VERIFY_DOUBLE);
    verify_free(&verify);
}

// --- runs that disagree with one another

static uint64_t chance_state = 1;

// True with this probability; a generator of its own (Knuth's MMIX), so that each run of the test is the same.
static bool chance(double probability)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(chance_state >> 11) < probability * (double)(1ull << 53);
}

// The word for an event whose runs each are disturbed with this probability, after as many rounds as verify makes.
static struct verify_cell decided(const struct verify_range *range, double share, double disturbed)
{
    struct verify_cell cell = {.open = true};
    while (cell.open && cell.run_count < VERIFY_RUNS) {
        for (int i = 0; i < VERIFY_REPEATS; i++)
            verify_cell_add(&cell, (uint64_t)((chance(disturbed) ? 0.8 : share) * LINES));
        verify_expect_decide(&cell, range, LINES);
    }
    return cell;
}

TEST(a_sound_event_is_blamed_less_than_once_in_a_thousand_though_a_run_in_five_is_disturbed)
{
    const struct verify_range each = {true, 1, 1};
    int blamed = 0, open = 0;
    for (int i = 0; i < 100000; i++) {
        const struct verify_cell cell = decided(&each, 1, 0.2);
        blamed += cell.compared && verify_word_is_wrong(cell.word);
        open += cell.open;
    }
    CHECK(blamed < 100);
    CHECK(open < 1000);
}

TEST(a_defective_event_is_found_out_though_a_run_in_five_is_disturbed)
{
    const struct verify_range none = {true, 0, 0};
    for (int i = 0; i < 10000; i++)
        CHECK_EQ(decided(&none, 1, 0.2).compared, true);
    CHECK_EQ(decided(&none, 1, 0).run_count, 2 * VERIFY_REPEATS);
}

TEST(an_event_whose_runs_disagree_is_not_verified_and_not_blamed)
{
    struct verify verify = one_pair();
    struct verify_cell *cell = verify_cell(&verify, 0, VERIFY_RANDOM, 0, 0);
    const struct verify_range each = {true, 1, 1};
    for (int i = 0; i < VERIFY_RUNS; i++)
        verify_cell_add(cell, i % 2 ? LINES : LINES / 2);
    verify_expect_decide(cell, &each, LINES);
    verify_expect_judge(&verify, 0);
    CHECK_EQ(verify.events[0].word, VERIFY_UNKNOWN);
    CHECK_STR(verify.events[0].why,
              "random reads: 8 of 15 runs are not as expected; try again with less else running");
    verify_free(&verify);
}
