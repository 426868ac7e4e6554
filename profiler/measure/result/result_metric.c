// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/result_metric.h"

#define LATENCY(metric_name, metric_title, walk, small)                                                                \
    {                                                                                                                  \
        .name = metric_name, .title = metric_title, .group = RESULT_METRIC_LATENCY, .order = walk,                     \
        .small_pages = small                                                                                           \
    }
#define PAUSES(metric_name, metric_title, walk)                                                                        \
    {                                                                                                                  \
        .name = metric_name, .title = metric_title, .group = RESULT_METRIC_LATENCY, .order = walk,                     \
        .small_pages = true, .pauses = true                                                                            \
    }
#define BANDWIDTH(metric_name, metric_title, cores, kernel)                                                            \
    {                                                                                                                  \
        .name = metric_name, .title = metric_title, .group = cores, .op = kernel                                       \
    }
#define LINES(metric_name, metric_title, small)                                                                        \
    {                                                                                                                  \
        .name = metric_name, .title = metric_title, .group = RESULT_METRIC_LINES, .op = KERNELS_STRIDE_WRITE,          \
        .small_pages = small                                                                                           \
    }

const struct result_metric *result_metric_get(enum result_metric_id id)
{
    static const struct result_metric metrics[RESULT_METRICS] = {
        [RESULT_METRIC_LATENCY_RANDOM] = LATENCY("latency_random", "random, huge pages", KERNELS_WALK_RANDOM, false),
        [RESULT_METRIC_LATENCY_RANDOM_4K] =
            LATENCY("latency_random_4k", "random, 4 KiB pages", KERNELS_WALK_RANDOM, true),
        [RESULT_METRIC_LATENCY_WINDOW] =
            LATENCY("latency_window", "random in a page, huge pages", KERNELS_WALK_WINDOW, false),
        [RESULT_METRIC_LATENCY_WINDOW_4K] =
            LATENCY("latency_window_4k", "random in a page, 4 KiB pages", KERNELS_WALK_WINDOW, true),
        [RESULT_METRIC_LATENCY_RANDOM_PAUSES] =
            PAUSES("latency_random_pauses", "random, 4 KiB, with pauses", KERNELS_WALK_RANDOM),
        [RESULT_METRIC_LATENCY_WINDOW_PAUSES] =
            PAUSES("latency_window_pauses", "random in a page, with pauses", KERNELS_WALK_WINDOW),
        [RESULT_METRIC_LATENCY_LOADED] =
            LATENCY("latency_loaded", "random, the others reading", KERNELS_WALK_RANDOM, false),
        [RESULT_METRIC_READ] = BANDWIDTH("read", "read", RESULT_METRIC_ONE_CORE, KERNELS_READ),
        [RESULT_METRIC_READ_PREFETCH] =
            BANDWIDTH("read_prefetch", "read with prefetch", RESULT_METRIC_ONE_CORE, KERNELS_READ_PREFETCH),
        [RESULT_METRIC_WRITE] = BANDWIDTH("write", "write", RESULT_METRIC_ONE_CORE, KERNELS_WRITE),
        [RESULT_METRIC_WRITE_NT] =
            BANDWIDTH("write_nt", "write, non-temporal", RESULT_METRIC_ONE_CORE, KERNELS_WRITE_NT),
        [RESULT_METRIC_COPY] = BANDWIDTH("copy", "copy", RESULT_METRIC_ONE_CORE, KERNELS_COPY),
        [RESULT_METRIC_COPY_NT] = BANDWIDTH("copy_nt", "copy, non-temporal", RESULT_METRIC_ONE_CORE, KERNELS_COPY_NT),
        [RESULT_METRIC_READ_ALL] = BANDWIDTH("read_all", "read", RESULT_METRIC_ALL_CORES, KERNELS_READ),
        [RESULT_METRIC_READ_PREFETCH_ALL] =
            BANDWIDTH("read_prefetch_all", "read with prefetch", RESULT_METRIC_ALL_CORES, KERNELS_READ_PREFETCH),
        [RESULT_METRIC_WRITE_ALL] = BANDWIDTH("write_all", "write", RESULT_METRIC_ALL_CORES, KERNELS_WRITE),
        [RESULT_METRIC_WRITE_NT_ALL] =
            BANDWIDTH("write_nt_all", "write, non-temporal", RESULT_METRIC_ALL_CORES, KERNELS_WRITE_NT),
        [RESULT_METRIC_COPY_ALL] = BANDWIDTH("copy_all", "copy", RESULT_METRIC_ALL_CORES, KERNELS_COPY),
        [RESULT_METRIC_COPY_NT_ALL] =
            BANDWIDTH("copy_nt_all", "copy, non-temporal", RESULT_METRIC_ALL_CORES, KERNELS_COPY_NT),
        [RESULT_METRIC_STRIDE_WRITE] = LINES("stride_write", "4 bytes of every line", false),
        [RESULT_METRIC_FIRST_RUN] = LINES("first_run", "the same, first touch", true),
        [RESULT_METRIC_LATER_RUN] = LINES("later_run", "the same once more", true),
    };
    return &metrics[id];
}

const char *result_metric_group_title(enum result_metric_group group)
{
    static const char *const titles[] = {
        [RESULT_METRIC_LATENCY] = "latency, ns",
        [RESULT_METRIC_ONE_CORE] = "bandwidth of one core, GB/s",
        [RESULT_METRIC_ALL_CORES] = "bandwidth of all cores of the node, GB/s",
        [RESULT_METRIC_LINES] = "writing by cache lines, ns a line",
    };
    return titles[group];
}

const char *result_metric_unit(const struct result_metric *metric)
{
    static const char *const units[] = {[RESULT_METRIC_LATENCY] = "ns",
                                        [RESULT_METRIC_ONE_CORE] = "bytes_per_s",
                                        [RESULT_METRIC_ALL_CORES] = "bytes_per_s",
                                        [RESULT_METRIC_LINES] = "ns_per_line"};
    return units[metric->group];
}

bool result_metric_is_time(const struct result_metric *metric)
{
    return metric->group == RESULT_METRIC_LATENCY || metric->group == RESULT_METRIC_LINES;
}
