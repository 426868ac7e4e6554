// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/topology/cmd_topology_cached.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/system/emulated.h"
#include "core/text/diag.h"
#include "profiler/measure/memory/memory_extent.h"
#include "profiler/measure/result/result_store.h"
#include "profiler/measure/result/result_verdict.h"
#include "profiler/measure/survey/survey_print.h"

int cmd_topology_cached_plan(const struct topology *t, const char *root, struct survey_options *options)
{
    char emulated[RESULT_TEXT];
    struct survey_schedule schedule;
    struct result result;
    if (emulated_name(emulated, sizeof emulated, root))
        options->emulated = emulated;
    int status = survey_schedule_make(&schedule, &result, t, root, options);
    if (status < 0)
        return status;
    survey_print_schedule(&schedule, &result);
    survey_schedule_free(&schedule);
    result_free(&result);
    return 0;
}

static void cmd_topology_cached_refuse(int status, const char *file, const char *path)
{
    char clean[PATH_MAX];
    diag_clean(clean, sizeof clean, file ? file : path);
    if (status == -ENOENT && !file)
        diag_error("run numaprof topology --measure", "nothing is cached of this machine yet");
    else if (status == -EINVAL)
        diag_error("run numaprof topology --measure again", "%s is not a measurement, or is damaged", clean);
    else if (status == -ESRCH)
        diag_error("give that machine's snapshot with --sysroot", "%s was measured on a machine with other nodes",
                   clean);
    else
        diag_error("check the name", "cannot read %s: %s", clean, strerror(-status));
}

int cmd_topology_cached_load(struct result *result, const struct topology *t, const char *root, const char *file)
{
    char path[PATH_MAX] = "";
    int status = file ? result_store_load_file(result, t, file) : result_store_load(result, t, path, sizeof path);
    if (status < 0) {
        cmd_topology_cached_refuse(status, file, path);
        return -EINVAL;
    }
    result->llc_bytes = memory_extent_cache(t);
    result_verdict_add(result, t, root);
    return 0;
}
