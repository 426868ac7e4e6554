// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/result_firmware.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/system/sysfile.h"

enum { RESULT_FIRMWARE_LOCAL = 10 }; // ACPI 6.5, 5.2.17: the distance of a node to itself

bool result_firmware_differs(double claimed, double measured)
{
    return fabs(measured / claimed - 1) > 0.10;
}

enum result_metric_id result_firmware_metric(const struct result *result)
{
    for (size_t i = 0; i < result->from_count * result->to_count; i++)
        if (result_cell(result, RESULT_METRIC_LATENCY_RANDOM, 0, 0)[i].count > 0)
            return RESULT_METRIC_LATENCY_RANDOM;
    return RESULT_METRIC_LATENCY_RANDOM_4K;
}

// --- SLIT

struct result_firmware_ratios {
    double *values;
    size_t count;
};

static void result_firmware_gather(struct result_firmware_ratios *ratios, const struct result *result,
                                   const struct topology *t, int distance)
{
    enum result_metric_id metric = result_firmware_metric(result);
    ratios->count = 0;
    for (size_t to = 0; to < result->to_count; to++)
        for (size_t from = 0; from < result->from_count; from++) {
            double ratio = result_relative(result, metric, to, from);
            if (!isnan(ratio) && result->to[to] != RESULT_INTERLEAVED &&
                topology_distance(t, result->from[from], result->to[to]) == distance)
                ratios->values[ratios->count++] = ratio;
        }
}

static void result_firmware_sum_up(struct result_firmware_distance *found, const struct result_firmware_ratios *ratios,
                                   int distance)
{
    double median = result_median(ratios->values, ratios->count); // sorts them
    *found = (struct result_firmware_distance){.distance = distance,
                                               .pairs = ratios->count,
                                               .claimed = (double)distance / RESULT_FIRMWARE_LOCAL,
                                               .median = median,
                                               .low = ratios->values[0],
                                               .high = ratios->values[ratios->count - 1]};
}

size_t result_firmware_distances(const struct result *result, const struct topology *t,
                                 struct result_firmware_distance found[RESULT_FIRMWARE_DISTANCES])
{
    struct result_firmware_ratios ratios = {.values =
                                                calloc(result->from_count * result->to_count + 1, sizeof(double))};
    size_t count = 0;
    for (int distance = 0; ratios.values && distance < 256 && count < RESULT_FIRMWARE_DISTANCES;
         distance++) { // a byte each
        result_firmware_gather(&ratios, result, t, distance);
        if (ratios.count > 0)
            result_firmware_sum_up(&found[count++], &ratios, distance);
    }
    free(ratios.values);
    return count;
}

// --- HMAT

struct result_firmware_initiators {
    const struct result *result;
    int best;
};

// The folder holds links node0, node1, ... to those that reach this memory so well.
static void result_firmware_initiator(void *argument, const char *name)
{
    struct result_firmware_initiators *initiators = argument;
    int node;
    if (initiators->best >= 0 || sscanf(name, "node%d", &node) != 1)
        return;
    for (size_t i = 0; i < initiators->result->from_count; i++)
        if (initiators->result->from[i] == node)
            initiators->best = node;
}

static double result_firmware_number(const char *root, int node, int class, const char *what)
{
    int64_t value;
    int status =
        sysfile_number(root, &value, "/sys/devices/system/node/node%d/access%d/initiators/%s", node, class, what);
    return status == 0 ? (double)value : 0;
}

static double result_firmware_measured(const struct result *result, enum result_metric_id metric, int to, int from)
{
    struct result_spread spread;
    const struct result_cell *cell = result_find(result, metric, to, from);
    return cell && result_spread(cell, &spread) ? spread.median : 0;
}

// sysfs has nanoseconds and MB/s (Documentation/ABI/stable/sysfs-devices-node).
static bool result_firmware_hmat_row(const struct result *result, const char *root, struct result_firmware_hmat *row,
                                     int to, int class)
{
    *row = (struct result_firmware_hmat){
        .to = to,
        .class = class,
        .from = -1,
        .read_ns.claimed = result_firmware_number(root, to, class, "read_latency"),
        .write_ns.claimed = result_firmware_number(root, to, class, "write_latency"),
        .read_bytes_per_s.claimed = result_firmware_number(root, to, class, "read_bandwidth") * 1e6,
        .write_bytes_per_s.claimed = result_firmware_number(root, to, class, "write_bandwidth") * 1e6};
    struct result_firmware_initiators initiators = {.result = result, .best = -1};
    if (row->read_ns.claimed <= 0 && row->write_ns.claimed <= 0 && row->read_bytes_per_s.claimed <= 0 &&
        row->write_bytes_per_s.claimed <= 0)
        return false;
    sysfile_names(root, result_firmware_initiator, &initiators, "/sys/devices/system/node/node%d/access%d/initiators",
                  to, class);
    row->from = initiators.best;
    row->read_ns.measured = result_firmware_measured(result, result_firmware_metric(result), to, row->from);
    row->read_bytes_per_s.measured = result_firmware_measured(result, RESULT_METRIC_READ_ALL, to, row->from);
    row->write_bytes_per_s.measured = result_firmware_measured(result, RESULT_METRIC_WRITE_NT_ALL, to, row->from);
    return true;
}

static bool result_firmware_hmat_same(const struct result_firmware_hmat *a, const struct result_firmware_hmat *b)
{
    return a->to == b->to && a->from == b->from && a->read_ns.claimed == b->read_ns.claimed &&
           a->write_ns.claimed == b->write_ns.claimed && a->read_bytes_per_s.claimed == b->read_bytes_per_s.claimed &&
           a->write_bytes_per_s.claimed == b->write_bytes_per_s.claimed;
}

size_t result_firmware_hmat(const struct result *result, const struct topology *t, const char *root,
                            struct result_firmware_hmat found[RESULT_FIRMWARE_HMAT])
{
    size_t count = 0;
    for (size_t i = 0; i < t->node_count; i++)
        for (int class = 0; class <= 1 && count < RESULT_FIRMWARE_HMAT; class ++)
            if (result_firmware_hmat_row(result, root, &found[count], t->nodes[i].id, class) &&
                (count == 0 || !result_firmware_hmat_same(&found[count], &found[count - 1])))
                count++;
    return count;
}
