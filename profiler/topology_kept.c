// SPDX-License-Identifier: Apache-2.0
#include "profiler/topology_kept.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/diag.h"
#include "profiler/emulated.h"
#include "profiler/measure/extent.h"
#include "profiler/measure/print.h"
#include "profiler/measure/store.h"
#include "profiler/measure/verdict.h"

int topology_kept_plan(const struct topology *t, const char *root, struct survey_options *options)
{
    char emulated[RESULT_TEXT];
    struct schedule schedule;
    struct result result;
    if (emulated_name(emulated, sizeof emulated, root))
        options->emulated = emulated;
    int status = schedule_make(&schedule, &result, t, root, options);
    if (status < 0)
        return status;
    print_schedule(&schedule, &result);
    schedule_free(&schedule);
    result_free(&result);
    return 0;
}

static void kept_refuse(int status, const char *file, const char *path)
{
    char clean[PATH_MAX];
    diag_clean(clean, sizeof clean, file ? file : path);
    if (status == -ENOENT && !file)
        diag_error("run numaprof topology --measure", "nothing is kept of this machine yet");
    else if (status == -EINVAL)
        diag_error("run numaprof topology --measure again", "%s is no measurement, or damaged", clean);
    else if (status == -ESRCH)
        diag_error("give that machine's snapshot with --sysroot", "%s was measured on a machine with other nodes",
                   clean);
    else
        diag_error("check the name", "cannot read %s: %s", clean, strerror(-status));
}

int topology_kept_load(struct result *result, const struct topology *t, const char *root, const char *file)
{
    char path[PATH_MAX] = "";
    int status = file ? store_load_file(result, t, file) : store_load(result, t, path, sizeof path);
    if (status < 0) {
        kept_refuse(status, file, path);
        return -EINVAL;
    }
    result->llc_bytes = extent_cache(t);
    verdict_add(result, t, root);
    return 0;
}
