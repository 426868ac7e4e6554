// SPDX-License-Identifier: Apache-2.0
// numaprof doctor: what this machine can measure; for what it cannot, why, and how to change that.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/commands/usage.h"
#include "profiler/doctor/doctor.h"
#include "profiler/doctor/doctor_gate.h"
#include "profiler/doctor/doctor_report.h"

static const char help[] =
    "usage: numaprof doctor [-o PATH] [--json] [--sysroot DIR]\n"
    "\n"
    "Tries everything that a run needs: yes, part, no, ? (unknown) or - (a fact). Prints why something does not work,\n"
    "and the command that changes it. Changes nothing itself.\n"
    "\n"
    "  -o PATH         folder or file of a future recording (the current folder)\n"
    "  --json          for programs; docs/doctor.md describes it\n"
    "  --sysroot DIR   diagnose a snapshot of another machine, from its files alone\n";

static const struct doctor_row table[] = {
    {.id = "cpu", .title = "CPU", .run = doctor_machine_cpu},
    {.id = "virtual", .title = "virtual machine", .run = doctor_machine_virtual},
    {.id = "container", .title = "container", .run = doctor_machine_container},
    {.id = "nodes", .title = "NUMA nodes", .run = doctor_machine_nodes},
    {.id = "pmu", .title = "PMU", .run = doctor_perf_pmu},
    {.id = "hardware", .title = "hardware events", .run = doctor_perf_hardware},
    {.id = "locality", .title = "locality events", .run = doctor_locality_reads},
    {.id = "retired", .title = "retired loads", .run = doctor_locality_retired},
    {.id = "sampling", .title = "sampled loads", .run = doctor_sampling_loads},
    {.id = "faults", .title = "page-fault event", .run = doctor_perf_faults},
    {.id = "pages", .title = "nodes of pages", .run = doctor_pages_homes},
    {.id = "paranoid", .title = "perf_event_paranoid", .run = doctor_limits_paranoid},
    {.id = "capabilities", .title = "capabilities", .run = doctor_limits_capabilities},
    {.id = "seccomp", .title = "seccomp", .run = doctor_limits_seccomp},
    {.id = "ptrace", .title = "ptrace", .run = doctor_limits_ptrace},
    {.id = "files", .title = "open files", .run = doctor_limits_files},
    {.id = "locked", .title = "locked memory", .run = doctor_limits_locked},
    {.id = "watchdog", .title = "NMI watchdog", .run = doctor_machine_watchdog},
    {.id = "balancing", .title = "NUMA balancing", .run = doctor_machine_balancing},
    {.id = "huge_pages", .title = "huge pages", .run = doctor_machine_huge_pages},
    {.id = "output", .title = "output folder", .run = doctor_output_folder},
};
enum { CMD_DOCTOR_ROWS = sizeof table / sizeof *table };

static void cmd_doctor_examine(struct doctor *d, struct doctor_row rows[CMD_DOCTOR_ROWS])
{
    d->live = d->root[0] == '\0';
    perf_context_read(&d->perf, d->root);
    d->uarch = d->topology ? event_catalogue_identify(d->catalogue, &d->topology->cpu) : NULL;
    if (d->live) {
        d->perf_gate = doctor_gate(SYS_perf_event_open);
        d->move_pages_gate = doctor_gate(SYS_move_pages);
    }
    for (size_t i = 0; i < CMD_DOCTOR_ROWS; i++) {
        rows[i] = table[i];
        rows[i].run(d, &rows[i].finding);
    }
}

static int cmd_doctor_show(struct doctor *d, bool json)
{
    struct doctor_row *rows = calloc(CMD_DOCTOR_ROWS, sizeof *rows);
    struct topology *topology = calloc(1, sizeof *topology);
    struct event_catalogue *catalogue = NULL;
    int status = DIAG_EXIT_FAILED;
    if (!rows || !topology || event_catalogue_load(&catalogue) < 0) {
        diag_error(NULL, "out of memory");
        goto done;
    }
    d->catalogue = catalogue;
    d->topology = topology_read(topology, d->root) == 0 ? topology : NULL;
    cmd_doctor_examine(d, rows);
    if (json)
        doctor_report_json(rows, CMD_DOCTOR_ROWS);
    else
        doctor_report_print(rows, CMD_DOCTOR_ROWS);
    topology_free(topology);
    status = 0;
done:
    event_catalogue_free(catalogue);
    free(topology);
    free(rows);
    return status;
}

int cmd_doctor(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"json", no_argument, NULL, 'j'},
        {"sysroot", required_argument, NULL, 's'},
        {0},
    };
    struct doctor d = {.root = "", .output = "."};
    bool json = false;
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (found == 'h')
            return fputs(help, stdout) < 0 ? DIAG_EXIT_FAILED : 0;
        if (found == 'j')
            json = true;
        else if (found == 's')
            d.root = usage_root(optarg);
        else if (found == 'o')
            d.output = optarg;
        else
            return usage_bad_option(argv, found);
    }
    if (optind < argc)
        return usage_bad_argument(argv, argv[optind]);
    return usage_is_root(d.root) ? cmd_doctor_show(&d, json) : DIAG_EXIT_FAILED;
}
