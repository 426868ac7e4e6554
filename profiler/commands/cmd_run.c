// SPDX-License-Identifier: Apache-2.0
// run, record, and check of a program: starts the program under observation, as often as asked, and ends as it ended.
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/text/diag.h"
#include "profiler/commands/cmd_place.h"
#include "profiler/commands/command.h"
#include "profiler/commands/commands.h"
#include "profiler/launch/run_options.h"
#include "profiler/install/installed_files.h"
#include "profiler/install/reports_program.h"
#include "profiler/output/job_directory.h"
#include "profiler/launch/launch.h"
#include "profiler/output/output_name.h"
#include "profiler/launch/preload_environment.h"
#include "collectors/protocol/channel.h"
#include "profiler/recorder/recorder.h"
#include "profiler/recorder/supervise.h"

struct run_result {
    int exit_status;             // of numaprof itself if failed, else see supervision
    bool failed;
    bool is_cut;                 // the recording lacks the end of what was to be recorded, or is not in its place
    struct supervision supervision;
    char path[PATH_MAX];
    struct job_directory *job;   // of a rank; NULL: the recording has a name of its own. Valid within run_once.
};

static int run_name(struct run_result *result, const struct run_options *options, pid_t pid, int repeat)
{
    const struct output_name name = {.pattern = options->output, .program = options->arguments[0], .pid = pid,
                                     .repeat = repeat, .repeats = options->repeats};
    if (!job_directory_is_meant(options->output))
        return output_name_for(result->path, sizeof result->path, &name);
    result->job = calloc(1, sizeof *result->job); // 16 KiB: too large for a small stack
    if (!result->job)
        return -ENOMEM;
    int status = job_directory_open(result->job, &name);
    memcpy(result->path, result->job->recording, sizeof result->path);
    return status;
}

static void run_target(struct run_result *result, const struct run_options *options, const struct target *target,
                       struct recorder *recorder, struct launch *launch, const struct launch_signals *signals)
{
    recorder_start(recorder);
    int status = launch_start(launch, target);
    if (status != 0) {
        unlink(result->path);
        result->failed = true;
        result->exit_status = status;
        return;
    }
    status = supervise_run(&result->supervision, recorder, launch->pid, signals, options->quiet);
    if (status < 0)
        diag_error("the recording holds what came before", "watching the program failed: %s", strerror(-status));
    result->is_cut = status < 0;
    const struct supervision *s = &result->supervision;
    status = recorder_finish(recorder, s->is_dead ? &s->wait_status : NULL, s->end);
    if (status < 0)
        diag_error(output_name_remedy(status), "writing %s failed: %s; it holds what was written before", result->path,
                   strerror(-status));
    result->is_cut |= status < 0;
}

// Of the ranks of a job the first speaks for all.
static void run_say_where(const struct run_options *options, const struct run_result *result)
{
    const char *read = result->job ? result->job->folder : result->path;
    if (!options->quiet && (result->job ? result->job->is_first : !options->report))
        diag_info("recorded to %s; read it with: numaprof report %s", read, read);
}

// After the recorder has closed the recording.
static void run_deliver(struct run_result *result, const struct run_options *options)
{
    if (result->job && result->failed)
        job_directory_cancel(result->job);
    else if (result->job && job_directory_close(result->job) < 0)
        result->is_cut = true;
    else if (result->job)
        memcpy(result->path, result->job->path, sizeof result->path);
    if (!result->failed)
        run_say_where(options, result);
    free(result->job);
    result->job = NULL;
}

static struct run_result run_once(const struct run_options *options, const struct target *target,
                                  const struct launch_signals *signals, int repeat)
{
    struct run_result result = {.failed = true, .exit_status = DIAG_EXIT_FAILED};
    struct preload_environment *environment = calloc(1, sizeof *environment); // 25 KiB: too large for a small stack
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGXFSZ, NULL, &before);
    struct recorder *recorder = recorder_new(options, target, repeat);
    struct launch launch;
    int status = recorder && environment ? 0 : -ENOMEM;
    if (status < 0)
        diag_error(NULL, "out of memory");
    if (status < 0 || recorder_open(recorder) != 0)
        goto close_recorder;
    if (options->placing)
        placing_reset(options->placing);
    const char *address = recorder_channel_address(recorder);
    if (address) {
        const char *why_not =
            getenv(CHANNEL_ENVIRONMENT) ? "record with one numaprof: another one records this one" : NULL;
        if (preload_environment_make(environment, target, address, options->placing) == -EINVAL)
            why_not =
                "install numaprof in a folder whose path has neither a space nor a colon: LD_PRELOAD splits there";
        recorder_set_preload(recorder, environment->library, why_not);
    }
    status = recorder_launch(recorder, &launch, signals, environment->variables);
    if (status < 0) {
        diag_error(status == -EMFILE ? "ulimit -n 1024" : output_name_remedy(status),
                   "cannot start a process: %s", output_name_cause(status));
        goto close_recorder;
    }
    // A limit for files (ulimit -f) fails a write, with a message of ours, and does not kill us. The program is forked
    // already.
    sigaction(SIGXFSZ, &ignore, NULL);
    if (run_name(&result, options, launch.pid, repeat) < 0 ||
        recorder_attach(recorder, result.path, launch.pid) != 0) {
        launch_cancel(&launch);
        goto close_recorder;
    }
    result.failed = false;
    run_target(&result, options, target, recorder, &launch, signals);

close_recorder:
    if (recorder)
        recorder_close(recorder);
    free(environment);
    run_deliver(&result, options);
    sigaction(SIGXFSZ, &before, NULL);
    return result;
}

// Runs the reports' command with these words, of which NULL ones are left out, and the recordings; returns its exit
// status.
// signals: the mask we came with. The report is to end at Ctrl-C.
static int run_read(const char *const *given, size_t given_count, char *const *paths, int count,
                    const struct launch_signals *signals)
{
    char **words = calloc(given_count + (size_t)count + 1, sizeof *words);
    if (!words)
        return DIAG_EXIT_FAILED;
    size_t filled = 0;
    for (size_t i = 0; i < given_count; i++)
        if (given[i])
            words[filled++] = (char *)given[i];
    for (int i = 0; i < count; i++)
        words[filled++] = paths[i];
    int status = reports_program_run(words, paths[0], &signals->mask);
    free(words);
    return status;
}

static void run_report(char *const *paths, int count, const struct launch_signals *signals)
{
    static const char *const words[] = {"numaprof", "report"};
    run_read(words, sizeof words / sizeof *words, paths, count, signals);
}

static int run_check(const struct run_options *options, char *const *paths, int count,
                     const struct launch_signals *signals)
{
    const char *const words[] = {
        "numaprof", "check", "--max-remote", options->max_remote,
        options->min_coverage ? "--min-coverage" : NULL, options->min_coverage,
        options->sarif ? "--sarif" : NULL, options->sarif,
        options->junit ? "--junit" : NULL, options->junit,
    };
    return run_read(words, sizeof words / sizeof *words, paths, count, signals);
}

// Whether check takes its own options: before the program runs.
static bool run_is_checkable(const struct run_options *options, const struct launch_signals *signals)
{
    static char only_options[] = "--only-options", no_file[] = "-";
    return run_check(options, (char *[]){only_options, no_file}, 2, signals) == 0;
}

static int run_all(const struct run_options *options, const struct target *target, const struct launch_signals *signals)
{
    int failed = 0, count = 0;
    bool ended = false, is_cut = false;
    struct run_result worst = {0};
    char **paths = calloc((size_t)options->repeats, sizeof *paths);
    if (!paths)
        return DIAG_EXIT_FAILED;
    for (int repeat = 1; repeat <= options->repeats && !ended; repeat++) {
        struct run_result result = run_once(options, target, signals, repeat);
        failed = result.failed ? result.exit_status : 0;
        if (failed)
            break;
        ended = supervise_was_ended(&result.supervision);
        is_cut |= result.is_cut;
        paths[count] = strdup(result.path);
        if (!paths[count]) {
            diag_error(NULL, "out of memory");
            failed = DIAG_EXIT_FAILED;
            break;
        }
        count++;
        if (worst.supervision.wait_status == 0)
            worst = result;
    }
    int checked = 0;
    if (options->placing && count > 0 && !options->quiet)
        placing_report(options->placing);
    if (options->report && count > 0 && !job_directory_is_meant(options->output))
        run_report(paths, count, signals);
    if (options->max_remote && count > 0)
        checked = run_check(options, paths, count, signals);
    for (int i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    if (failed)
        return failed;
    int ended_with = supervise_repeat_end(&worst.supervision);
    if (ended_with)
        return ended_with; // a program that failed is no success, whatever was read or written
    return is_cut ? DIAG_EXIT_FAILED : checked;
}

static int run_recorded(const struct run_options *options, const struct target *target,
                        const struct launch_signals *signals)
{
    if (options->max_remote && !run_is_checkable(options, signals))
        return DIAG_EXIT_FAILED;
    prctl(PR_SET_CHILD_SUBREAPER, 1); // daemons of the target come to us, not to init
    return run_all(options, target, signals);
}

static bool run_is_placeable(const struct target *target)
{
    const char *obstacle = elf_kind_obstacle((int)target->kind);
    if (obstacle)
        diag_error(elf_kind_remedy((int)target->kind), "%s cannot be placed: it %s", target->path, obstacle);
    return !obstacle;
}

// With a placement file, run measures nothing; record does.
static int run_placed(struct run_options *options, const struct target *target, const struct launch_signals *signals)
{
    if (options->report && options->output) {
        diag_error("numaprof record --place FILE -o RECORDING", "-o: run --place records nothing");
        return DIAG_EXIT_FAILED;
    }
    if (!run_is_placeable(target))
        return DIAG_EXIT_FAILED;
    options->placing = calloc(1, sizeof *options->placing);
    if (!options->placing) {
        diag_error(NULL, "out of memory");
        return DIAG_EXIT_FAILED;
    }
    int status = DIAG_EXIT_FAILED;
    if (placing_open(options->placing, options->place) == 0)
        status = options->report ? cmd_place_run(options, target, signals) : run_recorded(options, target, signals);
    placing_close(options->placing);
    free(options->placing);
    return status;
}

// A word that is no program may be a mistyped command.
static int run_find(struct target *target, const char *name)
{
    char remedy[96] = "check the name; options of numaprof stand before the program";
    const char *meant = commands_nearest(name);
    if (meant)
        snprintf(remedy, sizeof remedy, "did you mean numaprof %s?", meant);
    return target_find(target, name, remedy);
}

static int run_command(int argc, char **argv, enum run_purpose purpose)
{
    struct run_options options;
    struct target target = {0};
    struct launch_signals signals;
    int status = run_options_parse(&options, argc, argv, purpose);
    if (status >= 0)
        return status;
    status = run_find(&target, options.arguments[0]);
    if (status != 0)
        return status;
    supervise_block(&signals);
    if (options.place)
        return run_placed(&options, &target, &signals);
    return run_recorded(&options, &target, &signals);
}

int cmd_run(int argc, char **argv)
{
    return run_command(argc, argv, RUN_TO_REPORT);
}

int cmd_record(int argc, char **argv)
{
    return run_command(argc, argv, RUN_TO_RECORD);
}

int cmd_run_and_check(int argc, char **argv)
{
    return run_command(argc, argv, RUN_TO_CHECK);
}
