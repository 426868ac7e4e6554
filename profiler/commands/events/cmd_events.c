// SPDX-License-Identifier: Apache-2.0
// numaprof events: the locality events of this CPU, or of any CPU in the catalogue.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/perf/perf_context.h"
#include "core/system/sysfile.h"
#include "core/text/diag.h"
#include "core/topology/topology.h"
#include "profiler/commands/events/cmd_events_view.h"
#include "profiler/commands/command.h"
#include "profiler/commands/usage.h"

static const char help[] =
    "usage: numaprof events [--cpu NAME] [--all|--json]   the locality events of this CPU, or of CPU NAME\n"
    "       numaprof events --list [--json]               the CPUs in the catalogue\n"
    "       numaprof events --check [--cpu NAME]          compare the catalogue with the installed libpfm4\n"
    "\n"
    "  --cpu NAME       a name of --list, or the unique beginning of one\n"
    "  --all            also list alternative encodings, which numaprof never uses\n"
    "  --split-sockets  assume that a socket has several nodes (sub-NUMA clusters, cluster on die, NPS);\n"
    "                   without --cpu this machine's topology decides\n"
    "  --json           for programs; docs/events.md describes it\n"
    "  --sysroot DIR    read /proc and /sys below DIR: another machine's snapshot\n";

struct cmd_events_options {
    const char *cpu, *sysroot;
    bool all, list, json, check, split;
};

static int cmd_events_find(const struct event_catalogue *catalogue, const char *name, const struct event_cpu **cpu)
{
    char near[512], clean[128], remedy[600];
    int status = event_catalogue_find(catalogue, name, cpu, near, sizeof near);
    if (status == 0)
        return 0;
    snprintf(remedy, sizeof remedy, *near ? "try %s" : "numaprof events --list shows the names%s", near);
    diag_error(remedy, status == -ENOTUNIQ ? "the names of several CPUs in the event catalogue begin with \"%s\""
                                           : "no CPU in the event catalogue is called \"%s\"",
               diag_clean(clean, sizeof clean, name));
    return status;
}

// Returns the number of nodes, 0: not known. *split is set if a socket has several.
static int cmd_events_nodes(const char *root, bool *split)
{
    struct topology *topology = calloc(1, sizeof *topology);
    int nodes = 0;
    if (topology && topology_read(topology, root) == 0) {
        nodes = topology->numa ? (int)topology->node_count : 0;
        *split |= event_plan_sockets_are_split(topology);
        topology_free(topology);
    }
    free(topology);
    return nodes;
}

static bool cmd_events_sees_pmu(const char *root, const struct event_cpu *cpu)
{
    int64_t type;
    if (cpu && cpu->pmu)
        return sysfile_number(root, &type, "/sys/bus/event_source/devices/%s/type", cpu->pmu) == 0;
    char pmu[PERF_CONTEXT_PMU_BYTES];
    perf_context_pmu(pmu, root);
    return *pmu;
}

// "family 6, model 0x55, stepping 4"; what is not known is left out.
static void cmd_events_numbers(char *out, size_t size, const struct cpu_identity *machine)
{
    const struct {
        const char *format;
        int number;
    } parts[] = {
        {", family %d", machine->family}, {", model %#x", machine->model}, {", stepping %d", machine->stepping}};
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++)
        if (parts[i].number >= 0)
            used += (size_t)snprintf(out + used, size - used, parts[i].format, parts[i].number);
}

static void cmd_events_unknown(const struct cpu_identity *machine, const char *root, int nodes)
{
    char vendor[sizeof machine->vendor * 4], name[sizeof machine->name * 4], numbers[80];
    cmd_events_numbers(numbers, sizeof numbers, machine);
    diag_error(nodes == 1 ? "nothing to add: --cpu NAME shows another CPU's events"
                          : "numaprof events --list shows what is in it, docs/dev/adding-a-cpu.md how to add one",
               nodes == 1 ? "this machine has one node, so no access can be remote; its CPU is not in the event "
                            "catalogue: %s%s (%s); its kernel shows %s PMU"
                          : "this CPU is not in the event catalogue: %s%s (%s); its kernel shows %s PMU",
               diag_clean(vendor, sizeof vendor, machine->vendor), numbers,
               *machine->name ? diag_clean(name, sizeof name, machine->name) : "no name",
               cmd_events_sees_pmu(root, NULL) ? "a" : "no");
}

// This machine's CPU.
static int cmd_events_identify(struct cmd_events_view *view, struct cpu_identity *machine, const char *root)
{
    int status = cpu_identity_read(machine, root);
    if (status < 0) {
        diag_error("name one with --cpu", "cannot tell the CPU from %s/proc/cpuinfo: %s", root,
                   status == -EINVAL ? "no x86, Arm or POWER CPU is described there" : strerror(-status));
        return status;
    }
    view->cpu = event_catalogue_identify(view->catalogue, machine);
    view->nodes = cmd_events_nodes(root, &view->split);
    if (!view->cpu) {
        cmd_events_unknown(machine, root, view->nodes);
        return -ENOENT;
    }
    view->machine = machine;
    view->pmu_seen = cmd_events_sees_pmu(root, view->cpu);
    return 0;
}

static int cmd_events_show(const struct event_catalogue *catalogue, const struct cmd_events_options *options)
{
    struct cmd_events_view view = {.catalogue = catalogue, .split = options->split, .all = options->all};
    struct cpu_identity machine;
    int status = options->cpu ? cmd_events_find(catalogue, options->cpu, &view.cpu)
                              : cmd_events_identify(&view, &machine, options->sysroot);
    if (status < 0)
        return status;
    const struct event_plan_request everything = {.topics = event_plan_all_topics, .split = view.split};
    status = event_plan_make(&view.plan, catalogue, view.cpu, &everything);
    if (status < 0)
        diag_error("please report this", "the catalogue's data of %s contradict themselves", view.cpu->name);
    else
        (options->json ? cmd_events_json_cpu : cmd_events_text_cpu)(&view);
    return status;
}

static int cmd_events_run_check(const struct event_catalogue *catalogue, const struct cmd_events_options *options)
{
    const struct event_cpu *cpu = NULL;
    int status = options->cpu ? cmd_events_find(catalogue, options->cpu, &cpu) : 0;
    if (status < 0)
        return status;
    int differ = cmd_events_check(catalogue, cpu);
    if (differ)
        diag_error("find out which is right before you trust either", "%d event%s between catalogue and libpfm4",
                   differ, differ == 1 ? " differs" : "s differ");
    return differ ? -EINVAL : 0;
}

static int cmd_events_run(const struct cmd_events_options *options)
{
    struct event_catalogue *catalogue;
    int status = event_catalogue_load(&catalogue);
    if (status < 0) {
        diag_error(NULL, "cannot read the event catalogue: %s", strerror(-status));
        return status;
    }
    if (options->check)
        status = cmd_events_run_check(catalogue, options);
    else if (options->list)
        (options->json ? cmd_events_json_list : cmd_events_text_list)(catalogue);
    else
        status = cmd_events_show(catalogue, options);
    event_catalogue_free(catalogue);
    return status;
}

int cmd_events(int argc, char **argv)
{
    static const struct option known[] = {
        {"cpu", required_argument, NULL, 'c'}, {"sysroot", required_argument, NULL, 'r'},
        {"list", no_argument, NULL, 'l'},      {"json", no_argument, NULL, 'j'},
        {"check", no_argument, NULL, 'k'},     {"split-sockets", no_argument, NULL, 's'},
        {"all", no_argument, NULL, 'a'},       {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct cmd_events_options options = {.sysroot = ""};
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        switch (found) {
        case 'c': options.cpu = optarg; break;
        case 'r': options.sysroot = usage_root(optarg); break;
        case 'l': options.list = true; break;
        case 'j': options.json = true; break;
        case 'k': options.check = true; break;
        case 's': options.split = true; break;
        case 'a': options.all = true; break;
        case 'h': return fputs(help, stdout) < 0 ? DIAG_EXIT_FAILED : 0;
        default: return usage_bad_option(argv, found);
        }
    }
    if (optind < argc)
        return usage_bad_argument(argv, argv[optind]);
    return cmd_events_run(&options) < 0 ? DIAG_EXIT_FAILED : 0;
}
