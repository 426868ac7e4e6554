// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/firmware.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sysfile.h"

enum { FIRMWARE_LOCAL = 10 }; // ACPI 6.5, 5.2.17: the distance of a node to itself

bool firmware_differs(double claimed, double measured)
{
    return fabs(measured / claimed - 1) > 0.10;
}

enum metric_id firmware_metric(const struct result *result)
{
    for (size_t i = 0; i < result->from_count * result->to_count; i++)
        if (result_cell(result, METRIC_LATENCY_RANDOM, 0, 0)[i].count > 0)
            return METRIC_LATENCY_RANDOM;
    return METRIC_LATENCY_RANDOM_4K;
}

// --- SLIT

struct firmware_ratios {
    double *values;
    size_t count;
};

static void firmware_gather(struct firmware_ratios *ratios, const struct result *result, const struct topology *t,
                            int distance)
{
    enum metric_id metric = firmware_metric(result);
    ratios->count = 0;
    for (size_t to = 0; to < result->to_count; to++)
        for (size_t from = 0; from < result->from_count; from++) {
            double ratio = result_relative(result, metric, to, from);
            if (!isnan(ratio) && result->to[to] != RESULT_INTERLEAVED &&
                topology_distance(t, result->from[from], result->to[to]) == distance)
                ratios->values[ratios->count++] = ratio;
        }
}

static void firmware_sum_up(struct firmware_distance *found, const struct firmware_ratios *ratios, int distance)
{
    double median = result_median(ratios->values, ratios->count); // sorts them
    *found = (struct firmware_distance){
        .distance = distance, .pairs = ratios->count, .claimed = (double)distance / FIRMWARE_LOCAL, .median = median,
        .low = ratios->values[0], .high = ratios->values[ratios->count - 1]};
}

size_t firmware_distances(const struct result *result, const struct topology *t,
                          struct firmware_distance found[FIRMWARE_DISTANCES])
{
    struct firmware_ratios ratios = {.values = calloc(result->from_count * result->to_count + 1, sizeof(double))};
    size_t count = 0;
    for (int distance = 0; ratios.values && distance < 256 && count < FIRMWARE_DISTANCES; distance++) { // a byte each
        firmware_gather(&ratios, result, t, distance);
        if (ratios.count > 0)
            firmware_sum_up(&found[count++], &ratios, distance);
    }
    free(ratios.values);
    return count;
}

// --- HMAT

struct firmware_initiators {
    const struct result *result;
    int best;
};

// The folder holds links node0, node1, ... to those that reach this memory so well.
static void firmware_initiator(void *argument, const char *name)
{
    struct firmware_initiators *initiators = argument;
    int node;
    if (initiators->best >= 0 || sscanf(name, "node%d", &node) != 1)
        return;
    for (size_t i = 0; i < initiators->result->from_count; i++)
        if (initiators->result->from[i] == node)
            initiators->best = node;
}

static double firmware_number(const char *root, int node, int class, const char *what)
{
    int64_t value;
    int status = sysfile_number(root, &value, "/sys/devices/system/node/node%d/access%d/initiators/%s", node, class,
                                what);
    return status == 0 ? (double)value : 0;
}

static double firmware_measured(const struct result *result, enum metric_id metric, int to, int from)
{
    struct result_spread spread;
    const struct result_cell *cell = result_find(result, metric, to, from);
    return cell && result_spread(cell, &spread) ? spread.median : 0;
}

// sysfs has nanoseconds and MB/s (Documentation/ABI/stable/sysfs-devices-node).
static bool firmware_hmat_row(const struct result *result, const char *root, struct firmware_hmat *row, int to,
                              int class)
{
    *row = (struct firmware_hmat){
        .to = to, .class = class, .from = -1,
        .read_ns.claimed = firmware_number(root, to, class, "read_latency"),
        .write_ns.claimed = firmware_number(root, to, class, "write_latency"),
        .read_bytes_per_s.claimed = firmware_number(root, to, class, "read_bandwidth") * 1e6,
        .write_bytes_per_s.claimed = firmware_number(root, to, class, "write_bandwidth") * 1e6};
    struct firmware_initiators initiators = {.result = result, .best = -1};
    if (row->read_ns.claimed <= 0 && row->write_ns.claimed <= 0 && row->read_bytes_per_s.claimed <= 0 &&
        row->write_bytes_per_s.claimed <= 0)
        return false;
    sysfile_names(root, firmware_initiator, &initiators, "/sys/devices/system/node/node%d/access%d/initiators", to,
                  class);
    row->from = initiators.best;
    row->read_ns.measured = firmware_measured(result, firmware_metric(result), to, row->from);
    row->read_bytes_per_s.measured = firmware_measured(result, METRIC_READ_ALL, to, row->from);
    row->write_bytes_per_s.measured = firmware_measured(result, METRIC_WRITE_NT_ALL, to, row->from);
    return true;
}

static bool firmware_hmat_same(const struct firmware_hmat *a, const struct firmware_hmat *b)
{
    return a->to == b->to && a->from == b->from && a->read_ns.claimed == b->read_ns.claimed &&
           a->write_ns.claimed == b->write_ns.claimed && a->read_bytes_per_s.claimed == b->read_bytes_per_s.claimed &&
           a->write_bytes_per_s.claimed == b->write_bytes_per_s.claimed;
}

size_t firmware_hmat(const struct result *result, const struct topology *t, const char *root,
                     struct firmware_hmat found[FIRMWARE_HMAT])
{
    size_t count = 0;
    for (size_t i = 0; i < t->node_count; i++)
        for (int class = 0; class <= 1 && count < FIRMWARE_HMAT; class++)
            if (firmware_hmat_row(result, root, &found[count], t->nodes[i].id, class) &&
                (count == 0 || !firmware_hmat_same(&found[count], &found[count - 1])))
                count++;
    return count;
}
