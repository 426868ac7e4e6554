// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/metric.h"

#define LATENCY(metric_name, metric_title, walk, small)                                                                \
    {.name = metric_name, .title = metric_title, .group = METRIC_LATENCY, .order = walk, .small_pages = small}
#define PAUSES(metric_name, metric_title, walk)                                                                        \
    {.name = metric_name, .title = metric_title, .group = METRIC_LATENCY, .order = walk, .small_pages = true,          \
     .pauses = true}
#define BANDWIDTH(metric_name, metric_title, cores, kernel)                                                            \
    {.name = metric_name, .title = metric_title, .group = cores, .op = kernel}
#define LINES(metric_name, metric_title, small)                                                                        \
    {.name = metric_name, .title = metric_title, .group = METRIC_LINES, .op = KERNELS_STRIDE_WRITE,                    \
     .small_pages = small}

const struct metric *metric_get(enum metric_id id)
{
    static const struct metric metrics[METRICS] = {
        [METRIC_LATENCY_RANDOM] = LATENCY("latency_random", "random, huge pages", WALK_RANDOM, false),
        [METRIC_LATENCY_RANDOM_4K] = LATENCY("latency_random_4k", "random, 4 KiB pages", WALK_RANDOM, true),
        [METRIC_LATENCY_WINDOW] = LATENCY("latency_window", "random in a page, huge pages", WALK_WINDOW, false),
        [METRIC_LATENCY_WINDOW_4K] = LATENCY("latency_window_4k", "random in a page, 4 KiB pages", WALK_WINDOW, true),
        [METRIC_LATENCY_RANDOM_PAUSES] = PAUSES("latency_random_pauses", "random, 4 KiB, with pauses", WALK_RANDOM),
        [METRIC_LATENCY_WINDOW_PAUSES] = PAUSES("latency_window_pauses", "random in a page, with pauses", WALK_WINDOW),
        [METRIC_LATENCY_LOADED] = LATENCY("latency_loaded", "random, the others reading", WALK_RANDOM, false),
        [METRIC_READ] = BANDWIDTH("read", "read", METRIC_ONE_CORE, KERNELS_READ),
        [METRIC_READ_PREFETCH] =
            BANDWIDTH("read_prefetch", "read with prefetch", METRIC_ONE_CORE, KERNELS_READ_PREFETCH),
        [METRIC_WRITE] = BANDWIDTH("write", "write", METRIC_ONE_CORE, KERNELS_WRITE),
        [METRIC_WRITE_NT] = BANDWIDTH("write_nt", "write, non-temporal", METRIC_ONE_CORE, KERNELS_WRITE_NT),
        [METRIC_COPY] = BANDWIDTH("copy", "copy", METRIC_ONE_CORE, KERNELS_COPY),
        [METRIC_COPY_NT] = BANDWIDTH("copy_nt", "copy, non-temporal", METRIC_ONE_CORE, KERNELS_COPY_NT),
        [METRIC_READ_ALL] = BANDWIDTH("read_all", "read", METRIC_ALL_CORES, KERNELS_READ),
        [METRIC_READ_PREFETCH_ALL] =
            BANDWIDTH("read_prefetch_all", "read with prefetch", METRIC_ALL_CORES, KERNELS_READ_PREFETCH),
        [METRIC_WRITE_ALL] = BANDWIDTH("write_all", "write", METRIC_ALL_CORES, KERNELS_WRITE),
        [METRIC_WRITE_NT_ALL] = BANDWIDTH("write_nt_all", "write, non-temporal", METRIC_ALL_CORES, KERNELS_WRITE_NT),
        [METRIC_COPY_ALL] = BANDWIDTH("copy_all", "copy", METRIC_ALL_CORES, KERNELS_COPY),
        [METRIC_COPY_NT_ALL] = BANDWIDTH("copy_nt_all", "copy, non-temporal", METRIC_ALL_CORES, KERNELS_COPY_NT),
        [METRIC_STRIDE_WRITE] = LINES("stride_write", "4 bytes of every line", false),
        [METRIC_FIRST_RUN] = LINES("first_run", "the same, first touch", true),
        [METRIC_LATER_RUN] = LINES("later_run", "the same once more", true),
    };
    return &metrics[id];
}

const char *metric_group_title(enum metric_group group)
{
    static const char *const titles[] = {
        [METRIC_LATENCY] = "latency, ns",
        [METRIC_ONE_CORE] = "bandwidth of one core, GB/s",
        [METRIC_ALL_CORES] = "bandwidth of all cores of the node, GB/s",
        [METRIC_LINES] = "writing by cache lines, ns a line",
    };
    return titles[group];
}

const char *metric_unit(const struct metric *metric)
{
    static const char *const units[] = {[METRIC_LATENCY] = "ns", [METRIC_ONE_CORE] = "bytes_per_s",
                                        [METRIC_ALL_CORES] = "bytes_per_s", [METRIC_LINES] = "ns_per_line"};
    return units[metric->group];
}

bool metric_is_time(const struct metric *metric)
{
    return metric->group == METRIC_LATENCY || metric->group == METRIC_LINES;
}
