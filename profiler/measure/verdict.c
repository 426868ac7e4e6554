// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/verdict.h"

#include <math.h>
#include <stdio.h>

#include "profiler/measure/firmware.h"

#define VERDICT_BUSY 0.10   // share of the time that others took, from which on one is told
#define VERDICT_APART 0.03  // how much a node differs from others at its distance: EPYC's differed by 5 to 8 %

// --- trust

static void verdict_interrupted(struct result *result)
{
    size_t measured = 0, cells = METRICS * result->from_count * result->to_count;
    for (size_t i = 0; i < cells; i++)
        measured += result->cells[i].count > 0;
    result_note(result, "interrupted: %zu of %zu values were measured; nothing was stored", measured, cells);
}

// Whether remarks on the hardware may follow.
static bool verdict_trust(struct result *result)
{
    double noise = 100 * result_noise(result), lost = 100 * result_lost(result);
    if (result->is_interrupted)
        verdict_interrupted(result);
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
    if (lost > 100 * VERDICT_BUSY)
        result_note(result, "the machine was busy: others took %.0f %% of the time on the measured CPUs; what they "
                    "interrupted was left out", lost);
    return true;
}

// --- firmware

static void verdict_slit(struct result *result, const struct topology *t)
{
    struct firmware_distance found[FIRMWARE_DISTANCES];
    size_t count = firmware_distances(result, t, found);
    for (size_t i = 0; i < count; i++)
        if (firmware_differs(found[i].claimed, found[i].median))
            result_note(result, "the firmware's distance %d says %.1f times the local latency; measured %.2f "
                        "(%.2f to %.2f in %zu pair%s)", found[i].distance, found[i].claimed, found[i].median,
                        found[i].low, found[i].high, found[i].pairs, found[i].pairs == 1 ? "" : "s");
}

static void verdict_claim(struct result *result, const struct firmware_hmat *row, const struct firmware_claim *claim,
                          const char *what, const char *unit, double in_unit)
{
    if (claim->claimed > 0 && claim->measured > 0 && firmware_differs(claim->claimed, claim->measured))
        result_note(result, "the firmware (HMAT) says %s %.4g %s from node %d to node %d; measured %.4g %s", what,
                    claim->claimed / in_unit, unit, row->from, row->to, claim->measured / in_unit, unit);
}

static void verdict_hmat(struct result *result, const struct topology *t, const char *root)
{
    struct firmware_hmat found[FIRMWARE_HMAT];
    size_t count = firmware_hmat(result, t, root, found);
    for (size_t i = 0; i < count; i++) {
        verdict_claim(result, &found[i], &found[i].read_ns, "reads take", "ns", 1);
        verdict_claim(result, &found[i], &found[i].read_bytes_per_s, "reads reach", "GB/s", 1e9);
        verdict_claim(result, &found[i], &found[i].write_bytes_per_s, "writes reach", "GB/s", 1e9);
    }
}

// --- equal distance, unequal time

enum { VERDICT_PEERS = 64 };

struct verdict_peers {
    double low, high;           // of all repeats of the others
    double medians[VERDICT_PEERS]; // of theirs
    size_t count;
};

static bool verdict_is_peer(const struct result *result, const struct topology *t, size_t from, size_t to, size_t other)
{
    int here = result->from[from];
    return other != to && result->to[other] != RESULT_INTERLEAVED &&
           topology_distance(t, here, result->to[other]) == topology_distance(t, here, result->to[to]);
}

static struct verdict_peers verdict_peers(const struct result *result, const struct topology *t, enum metric_id metric,
                                          size_t from, size_t to)
{
    struct verdict_peers peers = {.low = INFINITY};
    struct result_spread spread;
    for (size_t other = 0; other < result->to_count; other++)
        if (peers.count < VERDICT_PEERS && verdict_is_peer(result, t, from, to, other) &&
            result_spread(result_cell(result, metric, other, from), &spread)) {
            peers.low = fmin(peers.low, spread.low);
            peers.high = fmax(peers.high, spread.high);
            peers.medians[peers.count++] = spread.median;
        }
    return peers;
}

// Consistently: not one of its repeats reaches any repeat of the others.
static bool verdict_is_apart(const struct result *result, const struct topology *t, enum metric_id metric, size_t from,
                             size_t to, double *share)
{
    struct result_spread own;
    struct verdict_peers peers = verdict_peers(result, t, metric, from, to);
    if (peers.count < 2 || result->to[to] == result->from[from] ||
        !result_spread(result_cell(result, metric, to, from), &own))
        return false;
    *share = own.median / result_median(peers.medians, peers.count) - 1;
    return fabs(*share) > VERDICT_APART && (own.high < peers.low || own.low > peers.high);
}

static void verdict_hops(struct result *result, const struct topology *t)
{
    const enum metric_id metrics[] = {firmware_metric(result), METRIC_STRIDE_WRITE};
    double share;
    for (size_t from = 0; from < result->from_count; from++)
        for (size_t to = 0; to < result->to_count; to++)
            for (size_t i = 0; i < 2 && result->to[to] != RESULT_INTERLEAVED; i++)
                if (verdict_is_apart(result, t, metrics[i], from, to, &share)) {
                    result_note(result, "from node %d, node %d is %.0f %% %s than the others at distance %d (%s): "
                                "perhaps %s hops", result->from[from], result->to[to], 100 * fabs(share),
                                share < 0 ? "nearer" : "farther",
                                topology_distance(t, result->from[from], result->to[to]),
                                metric_get(metrics[i])->name, share < 0 ? "fewer" : "more");
                    break;
                }
}

void verdict_add(struct result *result, const struct topology *t, const char *root)
{
    if (!verdict_trust(result))
        return;
    verdict_slit(result, t);
    verdict_hmat(result, t, root);
    verdict_hops(result, t);
}
