// SPDX-License-Identifier: Apache-2.0
// Medians, spreads, ratios and remarks of machines made by hand, and the file they are kept in.
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <unistd.h>

#include "check.h"
#include "profiler/measure/result/result.h"
#include "profiler/measure/result/result_firmware.h"
#include "profiler/measure/result/result_store.h"
#include "profiler/measure/result/result_verdict.h"

enum { NODES = 8 };

static struct topology_node nodes[NODES];
static struct topology machine = {.nodes = nodes, .numa = true};

// EPYC with eight nodes, as in the source article: 16 within a package, 32 between packages.
static void make_machine(size_t count)
{
    static int distance[NODES * NODES];
    machine.node_count = count;
    machine.distance = distance;
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct topology_node){.id = (int)i, .mem_bytes = 1};
    for (size_t i = 0; i < count * count; i++)
        distance[i] = i / count == i % count ? 10 : i / count / 4 == i % count / 4 ? 16 : 32;
}

static struct result make_result(size_t from_count, size_t to_count)
{
    struct result result;
    int numbers[NODES];
    for (int i = 0; i < NODES; i++)
        numbers[i] = i;
    CHECK_EQ(result_make(&result, numbers, from_count, numbers, to_count), 0);
    return result;
}

// Five repeats around a value, one in a thousand apart.
static void set(struct result *result, enum result_metric_id metric, size_t to, size_t from, double value)
{
    struct result_cell *cell = result_cell(result, metric, to, from);
    cell->count = 0;
    for (int i = 0; i < 5; i++)
        cell->values[cell->count++] = value * (1 + (i - 2) / 1000.0);
}

static bool has_note(const struct result *result, const char *text)
{
    for (size_t i = 0; i < result->note_count; i++)
        if (strstr(result->notes[i], text))
            return true;
    return false;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9 * fabs(b) + 1e-12;
}

TEST(a_median_and_its_middle_half)
{
    struct result_cell cell = {.values = {30, 10, 20, 50, 40}, .count = 5};
    struct result_spread spread;
    CHECK(result_spread(&cell, &spread));
    CHECK(spread.median == 30 && spread.low == 10 && spread.high == 50);
    CHECK(is_near(spread.middle, (40.0 - 20.0) / 30.0));
    cell = (struct result_cell){.values = {1, 2}, .count = 2};
    CHECK(result_spread(&cell, &spread) && is_near(spread.median, 1.5) && is_near(spread.middle, 0.5 / 1.5));
    cell.count = 0;
    CHECK(!result_spread(&cell, &spread)); // nothing measured is not 0
    CHECK(!result_is_noisy(&cell));
}

TEST(one_straggler_is_not_noise_but_a_wide_middle_is)
{
    struct result_cell cell = {.values = {100, 101, 99, 100, 900}, .count = 5};
    CHECK(!result_is_noisy(&cell));
    cell = (struct result_cell){.values = {100, 120, 80, 100, 130}, .count = 5};
    CHECK(result_is_noisy(&cell));
}

TEST(relative_is_beside_the_own_memory_of_the_same_cpus)
{
    struct result result = make_result(2, 2);
    set(&result, RESULT_METRIC_READ, 0, 0, 20e9);
    set(&result, RESULT_METRIC_READ, 1, 0, 10e9);
    set(&result, RESULT_METRIC_READ, 0, 1, 8e9);
    CHECK(is_near(result_relative(&result, RESULT_METRIC_READ, 1, 0), 0.5));
    CHECK(is_near(result_relative(&result, RESULT_METRIC_READ, 0, 0), 1));
    CHECK(isnan(result_relative(&result, RESULT_METRIC_READ, 0, 1))); // node 1's own was not measured
    CHECK(isnan(result_relative(&result, RESULT_METRIC_COPY, 0, 0)));
    CHECK(!result_find(&result, RESULT_METRIC_COPY, 0, 0));
    CHECK(!result_find(&result, RESULT_METRIC_READ, 7, 0));
    result_free(&result);
}

// The article's numbers: seconds for 2^30 lines from node 0.
static const double epyc[NODES] = {2.492153, 4.294302, 4.232083, 4.20949, 8.459225, 8.568392, 7.946654, 8.367991};

TEST(the_epyc_articles_node_6_is_named)
{
    make_machine(NODES);
    struct result result = make_result(1, NODES);
    for (size_t to = 0; to < NODES; to++)
        set(&result, RESULT_METRIC_STRIDE_WRITE, to, 0, epyc[to]);
    result_verdict_add(&result, &machine, "/nonexistent");
    CHECK(is_near(result_relative(&result, RESULT_METRIC_STRIDE_WRITE, 6, 0), 7.946654 / 2.492153));
    CHECK(has_note(&result, "from node 0, node 6 is 6 % nearer than the others at distance 32 (stride_write)"));
    CHECK_EQ(result.note_count, 1); // 1 to 3 differ by 2 %: nobody is told
    result_free(&result);
}

TEST(a_node_whose_repeats_overlap_with_the_others_is_not_named)
{
    make_machine(NODES);
    struct result result = make_result(1, NODES);
    for (size_t to = 0; to < NODES; to++)
        set(&result, RESULT_METRIC_STRIDE_WRITE, to, 0, epyc[to]);
    result_cell(&result, RESULT_METRIC_STRIDE_WRITE, 6, 0)->values[0] = 8.4;
    result_verdict_add(&result, &machine, "/nonexistent");
    CHECK_EQ(result.note_count, 0);
    result_free(&result);
}

static struct result latencies(double near, double far)
{
    make_machine(NODES);
    struct result result = make_result(NODES, NODES);
    for (size_t to = 0; to < NODES; to++)
        for (size_t from = 0; from < NODES; from++)
            set(&result, RESULT_METRIC_LATENCY_RANDOM, to, from, to == from ? 100 : to / 4 == from / 4 ? near : far);
    return result;
}

TEST(firmware_and_measurement_side_by_side)
{
    struct result result = latencies(160, 200);
    struct result_firmware_distance found[RESULT_FIRMWARE_DISTANCES];
    CHECK_EQ(result_firmware_distances(&result, &machine, found), 3);
    CHECK(found[0].distance == 10 && found[0].pairs == 8 && is_near(found[0].median, 1));
    CHECK(found[1].distance == 16 && found[1].pairs == 24 && is_near(found[1].median, 1.6));
    CHECK(found[2].distance == 32 && found[2].pairs == 32 && is_near(found[2].median, 2));
    result_verdict_add(&result, &machine, "/nonexistent");
    CHECK(has_note(&result, "distance 32 says 3.2 times the local latency; measured 2.00 (2.00 to 2.00 in 32 pairs)"));
    CHECK(!has_note(&result, "distance 16"));
    result_free(&result);
}

TEST(ten_per_cent_is_not_a_difference_eleven_is)
{
    CHECK(!result_firmware_differs(2, 2.19) && !result_firmware_differs(2, 1.81));
    CHECK(result_firmware_differs(2, 2.21) && result_firmware_differs(2, 1.79));
}

TEST(a_noisy_machine_gets_no_verdict)
{
    struct result result = latencies(160, 200);
    for (size_t i = 0; i < NODES * NODES; i += 2)
        for (int k = 0; k < 5; k++)
            result_cell(&result, RESULT_METRIC_LATENCY_RANDOM, 0, 0)[i].values[k] *= 1 + k / 5.0;
    result_verdict_add(&result, &machine, "/nonexistent");
    CHECK(has_note(&result, "too noisy for a verdict: 50 %"));
    CHECK(!has_note(&result, "distance"));
    result_free(&result);
}

TEST(a_busy_machine_is_named)
{
    struct result result = latencies(160, 320);
    result.cells[0].kept_ns = 80;
    result.cells[0].lost_ns = 20;
    result_verdict_add(&result, &machine, "/nonexistent");
    CHECK(has_note(&result, "the machine was busy: others took 20 %"));
    result.cells[0].lost_ns = 200;
    result_verdict_add(&result, &machine, "/nonexistent");
    CHECK(has_note(&result, "too noisy for a verdict"));
    result_free(&result);
}

TEST(an_emulated_machine_gets_no_remarks_on_its_hardware)
{
    struct result result = latencies(160, 200);
    snprintf(result.emulated, sizeof result.emulated, "ring");
    result_verdict_add(&result, &machine, "/nonexistent");
    CHECK_EQ(result.note_count, 0);
    result_free(&result);
}

TEST(the_same_note_stands_once)
{
    struct result result = make_result(1, 1);
    result_note(&result, "node %d", 1);
    result_note(&result, "node %d", 1);
    result_note(&result, "node %d", 2);
    CHECK_EQ(result.note_count, 2);
    result_free(&result);
}

// --- the file

static char path[256];

static int saved(void)
{
    struct result result = latencies(160, 200);
    setenv("XDG_CACHE_HOME", "/proc", 1);
    CHECK(result_store_save(&result, &machine, path, sizeof path) < 0); // cannot be written
    char folder[128];
    CHECK(getcwd(folder, sizeof folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    result.has_huge_pages = true;
    result.buffer_bytes = 1 << 30;
    int status = result_store_save(&result, &machine, path, sizeof path);
    result_free(&result);
    return status;
}

TEST(what_is_stored_comes_back)
{
    struct result result;
    struct result_spread spread;
    CHECK_EQ(saved(), 0);
    CHECK_EQ(result_store_load(&result, &machine, path, sizeof path), 0);
    CHECK(result.has_huge_pages && result.buffer_bytes == 1 << 30);
    CHECK(result_spread(result_find(&result, RESULT_METRIC_LATENCY_RANDOM, 7, 0), &spread));
    CHECK(is_near(spread.median, 200) && is_near(spread.low, 199.6));
    CHECK(!result_find(&result, RESULT_METRIC_READ, 0, 0));
    result_free(&result);
}

TEST(another_machine_finds_nothing)
{
    struct result result;
    CHECK_EQ(saved(), 0);
    machine.distance[1] = 17;
    CHECK_EQ(result_store_load(&result, &machine, path, sizeof path), -ENOENT);
}

// Cut off anywhere, or with any byte changed, the file is refused or read, never worse.
TEST(a_damaged_file_is_refused)
{
    struct result result;
    char text[65536];
    CHECK_EQ(saved(), 0);
    FILE *file = fopen(path, "r");
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    for (size_t cut = 0; cut + 4 < length; cut += 1 + length / 300) {
        file = fopen(path, "w");
        fwrite(text, 1, cut, file);
        fclose(file);
        int status = result_store_load(&result, &machine, path, sizeof path);
        CHECK(status == -EINVAL || status == -ENOENT);
    }
    for (size_t at = 0; at < length; at += 1 + length / 2000) {
        char kept = text[at];
        text[at] = (char)(at % 3 == 0 ? '-' : at % 3 == 1 ? '9' : '\n');
        file = fopen(path, "w");
        fwrite(text, 1, length, file);
        fclose(file);
        if (result_store_load(&result, &machine, path, sizeof path) == 0)
            result_free(&result);
        text[at] = kept;
    }
}
