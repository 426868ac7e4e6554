// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/survey.h"

#include <errno.h>

#include "profiler/measure/schedule.h"
#include "profiler/measure/region.h"
#include "profiler/measure/slices.h"

static void survey_row(struct slices *slices, struct region *region, size_t bytes)
{
    struct result *result = slices->result;
    slices_step(slices, region->name, schedule_touch_s(bytes, true));
    if (region_open(region, bytes, true, result) < 0)
        return;
    bool is_huge = region->place.huge_bytes >= region->place.bytes / 10 * 9;
    result->has_huge_pages |= is_huge;
    if (!is_huge)
        result_note(result, "%s: the kernel gave no huge pages; only 4 KiB pages are measured "
                    "(see /sys/kernel/mm/transparent_hugepage/enabled)", region->name);
    if (slices_measure(slices, region, is_huge) == -ENOMEM)
        result_note(result, "%s is left out: out of memory", region->name);
    region_recheck(region, result);
    region_close(region);
}

int survey_run(struct result *result, const struct topology *t, const struct survey_options *options,
               const atomic_bool *stop)
{
    struct schedule schedule;
    int status = schedule_make(&schedule, result, t, "", options);
    if (status < 0)
        return status;
    struct slices slices = {.result = result, .t = t, .options = options, .stop = stop, .plan_s = schedule.seconds};
    for (double until = 0; slices.to < schedule.count && !atomic_load(stop); slices.to++) {
        const struct schedule_row *row = &schedule.rows[slices.to];
        struct region region = {.t = t, .stop = stop, .nodes = row->nodes, .name = row->name};
        if (!row->is_left_out)
            survey_row(&slices, &region, row->extent.bytes); // what goes wrong there is noted, and costs this row only
        slices.done_s = until += row->seconds;
    }
    result->is_interrupted = atomic_load(stop);
    schedule_free(&schedule);
    return 0;
}
