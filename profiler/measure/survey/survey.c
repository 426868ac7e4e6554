// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/survey/survey.h"

#include <errno.h>

#include "profiler/measure/memory/memory_region.h"
#include "profiler/measure/survey/survey_schedule.h"
#include "profiler/measure/survey/survey_slices.h"

static void survey_row(struct survey_slices *slices, struct memory_region *region, size_t bytes)
{
    struct result *result = slices->result;
    survey_slices_step(slices, region->name, survey_schedule_touch_s(bytes, true));
    if (memory_region_open(region, bytes, true, result) < 0)
        return;
    bool is_huge = region->bound.huge_bytes >= region->bound.bytes / 10 * 9;
    result->has_huge_pages |= is_huge;
    if (!is_huge)
        result_note(result, "%s: the kernel gave no huge pages; only 4 KiB pages are measured "
                    "(see /sys/kernel/mm/transparent_hugepage/enabled)", region->name);
    if (survey_slices_measure(slices, region, is_huge) == -ENOMEM)
        result_note(result, "%s is left out: out of memory", region->name);
    memory_region_recheck(region, result);
    memory_region_close(region);
}

int survey_run(struct result *result, const struct topology *t, const struct survey_options *options,
               const atomic_bool *stop)
{
    struct survey_schedule schedule;
    int status = survey_schedule_make(&schedule, result, t, "", options);
    if (status < 0)
        return status;
    struct survey_slices slices = {
        .result = result, .t = t, .options = options, .stop = stop, .plan_s = schedule.seconds};
    for (double until = 0; slices.to < schedule.count && !atomic_load(stop); slices.to++) {
        const struct survey_schedule_row *row = &schedule.rows[slices.to];
        struct memory_region region = {.t = t, .stop = stop, .nodes = row->nodes, .name = row->name};
        if (!row->is_left_out)
            survey_row(&slices, &region, row->extent.bytes); // what goes wrong there is noted, and costs this row only
        slices.done_s = until += row->seconds;
    }
    result->is_interrupted = atomic_load(stop);
    survey_schedule_free(&schedule);
    return 0;
}
