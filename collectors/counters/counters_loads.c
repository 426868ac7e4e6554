// SPDX-License-Identifier: Apache-2.0
// The sampled loads among the groups of counters.
#include <errno.h>

#include "collectors/counters/counters.h"

// In the emulated machine a second has a twentieth of the operations.
enum { COUNTERS_LOADS_PER_S = 1000, COUNTERS_EMULATED_SLOWER = 20 };

static void counters_set_loads(struct counters *counters, const struct loads_plan *plan)
{
    struct counters_group *group = &counters->groups[counters->loads_group];
    int64_t id = group->events[0].id;
    *group = (struct counters_group){.count = plan->count,
                                     .samples_per_s = COUNTERS_LOADS_PER_S,
                                     .first_period = plan->of_cpus && counters->emulated
                                                         ? plan->first_period / COUNTERS_EMULATED_SLOWER
                                                         : plan->first_period,
                                     .period_step = plan->period_step,
                                     .least_period = plan->least_period,
                                     .with_registers = plan->with_registers,
                                     .with_kernel = plan->with_kernel,
                                     .of_cpus = plan->of_cpus};
    for (int i = 0; i < plan->count; i++)
        group->events[i] = (struct counters_event){.id = id + i,
                                                   .attr = plan->events[i].attr,
                                                   .sampled = plan->events[i].sampled,
                                                   .load_source = plan->events[i].source,
                                                   .load_name = plan->events[i].name};
    counters->loads_method = plan->method;
}

bool counters_plan_next_loads(struct counters *counters)
{
    struct loads_plan plan;
    while (counters->loads_attempt < LOADS_PLAN_ATTEMPTS) {
        int status = loads_plan(&plan, counters->catalogue, counters->cpu, "", counters->loads_attempt++);
        if (status < 0)
            continue;
        counters_set_loads(counters, &plan);
        return true;
    }
    return false;
}

bool counters_samples_cpus(const struct counters *counters)
{
    return counters->loads_group >= 0 && counters->groups[counters->loads_group].of_cpus &&
           counters->groups[counters->loads_group].error == 0;
}

bool counters_plan_loads(struct counters *counters, int64_t first_id)
{
    counters->loads_group = counters->group_count;
    counters->groups[counters->loads_group].events[0].id = first_id;
    if (counters_plan_next_loads(counters)) {
        counters->group_count++;
        return true;
    }
    counters->loads_group = -1;
    counters->loads_error = -ENOTSUP;
    return false;
}
