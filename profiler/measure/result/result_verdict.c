// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/result_verdict.h"

#include <math.h>
#include <stdio.h>

#include "profiler/measure/result/result_firmware.h"

#define RESULT_VERDICT_BUSY 0.10   // share of the time that others took, from which on one is told
#define RESULT_VERDICT_APART 0.03  // how much a node differs from others at its distance: EPYC's differed by 5 to 8 %

// --- trust

static void result_verdict_interrupted(struct result *result)
{
    size_t measured = 0, cells = RESULT_METRICS * result->from_count * result->to_count;
    for (size_t i = 0; i < cells; i++)
        measured += result->cells[i].count > 0;
    result_note(result, "interrupted: %zu of %zu values were measured; nothing was stored", measured, cells);
}

// Whether remarks on the hardware may follow.
static bool result_verdict_trust(struct result *result)
{
    double noise = 100 * result_noise(result), lost = 100 * result_lost(result);
    if (result->is_interrupted)
        result_verdict_interrupted(result);
    if (*result->emulated)
        return false; // the head says what that means
    if (result_is_too_noisy(result)) {
        result_note(result, "too noisy for a verdict: %.0f %% of the values vary by more than 10 %% between repeats, "
                    "others took %.0f %% of the time on the measured CPUs; measure again on a quiet machine", noise,
                    lost);
        return false;
    }
    if (noise > 0)
        result_note(result, "values marked ~ vary by more than 10 %% between repeats");
    if (lost > 100 * RESULT_VERDICT_BUSY)
        result_note(result, "the machine was busy: others took %.0f %% of the time on the measured CPUs; what they "
                    "interrupted was left out", lost);
    return true;
}

// --- firmware

static void result_verdict_slit(struct result *result, const struct topology *t)
{
    struct result_firmware_distance found[RESULT_FIRMWARE_DISTANCES];
    size_t count = result_firmware_distances(result, t, found);
    for (size_t i = 0; i < count; i++)
        if (result_firmware_differs(found[i].claimed, found[i].median))
            result_note(result, "the firmware's distance %d says %.1f times the local latency; measured %.2f "
                        "(%.2f to %.2f in %zu pair%s)", found[i].distance, found[i].claimed, found[i].median,
                        found[i].low, found[i].high, found[i].pairs, found[i].pairs == 1 ? "" : "s");
}

static void result_verdict_claim(struct result *result, const struct result_firmware_hmat *row,
                                 const struct result_firmware_claim *claim, const char *what, const char *unit,
                                 double in_unit)
{
    if (claim->claimed > 0 && claim->measured > 0 && result_firmware_differs(claim->claimed, claim->measured))
        result_note(result, "the firmware (HMAT) says %s %.4g %s from node %d to node %d; measured %.4g %s", what,
                    claim->claimed / in_unit, unit, row->from, row->to, claim->measured / in_unit, unit);
}

static void result_verdict_hmat(struct result *result, const struct topology *t, const char *root)
{
    struct result_firmware_hmat found[RESULT_FIRMWARE_HMAT];
    size_t count = result_firmware_hmat(result, t, root, found);
    for (size_t i = 0; i < count; i++) {
        result_verdict_claim(result, &found[i], &found[i].read_ns, "reads take", "ns", 1);
        result_verdict_claim(result, &found[i], &found[i].read_bytes_per_s, "reads reach", "GB/s", 1e9);
        result_verdict_claim(result, &found[i], &found[i].write_bytes_per_s, "writes reach", "GB/s", 1e9);
    }
}

// --- equal distance, unequal time

enum { RESULT_VERDICT_PEERS = 64 };

struct result_verdict_peers {
    double low, high;           // of all repeats of the others
    double medians[RESULT_VERDICT_PEERS]; // of theirs
    size_t count;
};

static bool result_verdict_is_peer(const struct result *result, const struct topology *t, size_t from, size_t to,
                                   size_t other)
{
    int here = result->from[from];
    return other != to && result->to[other] != RESULT_INTERLEAVED &&
           topology_distance(t, here, result->to[other]) == topology_distance(t, here, result->to[to]);
}

static struct result_verdict_peers result_verdict_peers(const struct result *result, const struct topology *t,
                                                        enum result_metric_id metric, size_t from, size_t to)
{
    struct result_verdict_peers peers = {.low = INFINITY};
    struct result_spread spread;
    for (size_t other = 0; other < result->to_count; other++)
        if (peers.count < RESULT_VERDICT_PEERS && result_verdict_is_peer(result, t, from, to, other) &&
            result_spread(result_cell(result, metric, other, from), &spread)) {
            peers.low = fmin(peers.low, spread.low);
            peers.high = fmax(peers.high, spread.high);
            peers.medians[peers.count++] = spread.median;
        }
    return peers;
}

// Consistently: not one of its repeats reaches any repeat of the others.
static bool result_verdict_is_apart(const struct result *result, const struct topology *t, enum result_metric_id metric,
                                    size_t from, size_t to, double *share)
{
    struct result_spread own;
    struct result_verdict_peers peers = result_verdict_peers(result, t, metric, from, to);
    if (peers.count < 2 || result->to[to] == result->from[from] ||
        !result_spread(result_cell(result, metric, to, from), &own))
        return false;
    *share = own.median / result_median(peers.medians, peers.count) - 1;
    return fabs(*share) > RESULT_VERDICT_APART && (own.high < peers.low || own.low > peers.high);
}

static void result_verdict_hops(struct result *result, const struct topology *t)
{
    const enum result_metric_id metrics[] = {result_firmware_metric(result), RESULT_METRIC_STRIDE_WRITE};
    double share;
    for (size_t from = 0; from < result->from_count; from++)
        for (size_t to = 0; to < result->to_count; to++)
            for (size_t i = 0; i < 2 && result->to[to] != RESULT_INTERLEAVED; i++)
                if (result_verdict_is_apart(result, t, metrics[i], from, to, &share)) {
                    result_note(result,
                                "from node %d, node %d is %.0f %% %s than the others at distance %d (%s): "
                                "perhaps %s hops",
                                result->from[from], result->to[to], 100 * fabs(share), share < 0 ? "nearer" : "farther",
                                topology_distance(t, result->from[from], result->to[to]),
                                result_metric_get(metrics[i])->name, share < 0 ? "fewer" : "more");
                    break;
                }
}

void result_verdict_add(struct result *result, const struct topology *t, const char *root)
{
    if (!result_verdict_trust(result))
        return;
    result_verdict_slit(result, t);
    result_verdict_hmat(result, t, root);
    result_verdict_hops(result, t);
}
