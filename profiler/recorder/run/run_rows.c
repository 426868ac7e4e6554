// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/run/run_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/sysfile.h"
#include "core/text/json.h"
#include "profiler/running/running.h"
#include "recording_codes.h"
#include "version.h"

// --- run

static char *run_rows_command(char *const *arguments)
{
    size_t count = 0;
    while (arguments[count])
        count++;
    return json_words((const char *const *)arguments, count);
}

static void run_rows_started_at(char *out, size_t size)
{
    const struct timespec now = clock_read(CLOCK_REALTIME);
    struct tm utc;
    char seconds[32];
    gmtime_r(&now.tv_sec, &utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out, size, "%s.%03dZ", seconds, (int)(now.tv_nsec / 1000000 % 1000));
}

// "always [madvise] never": the word in brackets.
static const char *run_rows_huge_pages(char *out, size_t size)
{
    if (sysfile_text("", out, size, "/sys/kernel/mm/transparent_hugepage/enabled") < 0)
        return NULL;
    char *open = strchr(out, '['), *close = open ? strchr(open, ']') : NULL;
    if (!close)
        return NULL;
    *close = '\0';
    return open + 1;
}

static int64_t run_rows_sysctl(const char *name)
{
    int64_t value;
    return sysfile_number("", &value, "/proc/sys/kernel/%s", name) == 0 ? value : RECORDING_NULL;
}

static const char *run_rows_pin_policy(const struct run_options *options)
{
    static const char *const words[] = {
        [RUN_PIN_COMPACT] = "compact", [RUN_PIN_SCATTER] = "scatter", [RUN_PIN_LIST] = "list", [RUN_PIN_NONE] = "none"};
    return words[options->pin];
}

// NULL: there is none. The caller frees it.
static char *run_rows_pin_order(const struct machine *machine)
{
    enum { NUMBER_BYTES = sizeof "8191," };
    size_t size = machine->slot_count * NUMBER_BYTES + 1, used = 0;
    char *out = machine->slot_count ? malloc(size) : NULL;
    for (size_t i = 0; out && i < machine->slot_count; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%d", i ? "," : "", machine->pin_order[i]);
    return out;
}

static void run_rows_set_cpu(struct recording_run *row, const struct cpu_identity *identity)
{
    row->cpu_vendor = RECORD_TEXT(*identity->vendor ? identity->vendor : NULL);
    row->cpu_family = RECORD_KNOWN(identity->family);
    row->cpu_model = RECORD_KNOWN(identity->model);
    row->cpu_stepping = RECORD_KNOWN(identity->stepping);
    row->cpu_name = RECORD_TEXT(*identity->name ? identity->name : NULL);
}

void run_rows_begin(const struct run_rows *run, struct recording_queue *queue)
{
    const struct run_options *options = run->options;
    char cwd[4096], started[40], huge[64], cpus[1024], nodes[1024];
    struct utsname kernel;
    char *command = run_rows_command(options->arguments), *plan = run_rows_pin_order(run->machine);
    uname(&kernel);
    run_rows_started_at(started, sizeof started);
    struct recording_run row = RECORDING_RUN_NULL;
    row.id = RECORD_NUMBER(1);
    row.command = RECORD_TEXT(command ? command : "[]");
    row.cwd = RECORD_TEXT(options->running ? options->running->cwd : getcwd(cwd, sizeof cwd));
    row.program = RECORD_TEXT(run->target->path);
    row.pid = RECORD_NUMBER(run->pid);
    row.started_at = RECORD_TEXT(started);
    row.complete = RECORD_NUMBER(0);
    row.host = RECORD_TEXT(kernel.nodename);
    row.kernel = RECORD_TEXT(kernel.release);
    row.arch = RECORD_TEXT(kernel.machine);
    run_rows_set_cpu(&row, &run->machine->topology.cpu);
    row.uarch = RECORD_TEXT(run->uarch);
    row.tool_version = RECORD_TEXT(NUMAPROF_VERSION);
    row.emulated = RECORD_TEXT(run->machine->emulated);
    row.page_bytes = RECORD_NUMBER(sysconf(_SC_PAGESIZE));
    row.huge_pages = RECORD_TEXT(run_rows_huge_pages(huge, sizeof huge));
    row.balancing = RECORD_NUMBER(run_rows_sysctl("numa_balancing"));
    row.pin_policy = RECORD_TEXT(run_rows_pin_policy(options));
    row.pin_plan = RECORD_TEXT(plan);
    row.allowed_cpus = RECORD_TEXT(cpulist_format(cpus, sizeof cpus, &run->machine->topology.allowed_cpus));
    row.allowed_nodes = RECORD_TEXT(cpulist_format(nodes, sizeof nodes, &run->machine->topology.allowed_nodes));
    row.interval_ns = RECORD_NUMBER(options->interval_ms * 1000000);
    row.repeat = RECORD_NUMBER(run->repeat);
    recording_queue_put(queue, RECORDING_RUN, sizeof row / sizeof(struct recording_value),
                        (const struct recording_value *)&row);
    free(command);
    free(plan);
}

// --- the end

static int64_t run_rows_own_cpu_time(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000000) +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * INT64_C(1000);
}

void run_rows_end(const struct run_rows *run, struct recording_queue *queue, const int *wait_status, uint64_t end,
                  int64_t balancing_moved)
{
    bool exited = wait_status && WIFEXITED(*wait_status), killed = wait_status && WIFSIGNALED(*wait_status);
    RECORD(queue, RECORDING_RUN_END, RECORD_NUMBER(end - run->epoch),
           exited ? RECORD_NUMBER(WEXITSTATUS(*wait_status)) : RECORD_NULL,
           killed ? RECORD_NUMBER(WTERMSIG(*wait_status)) : RECORD_NULL,
           RECORD_NUMBER(balancing_moved), RECORD_NUMBER(run_rows_own_cpu_time()));
}
