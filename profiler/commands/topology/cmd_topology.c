// SPDX-License-Identifier: Apache-2.0
// numaprof topology: nodes, CPUs, distances and what this process may use of them.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/diag.h"
#include "core/text/units.h"
#include "core/topology/topology.h"
#include "core/topology/topology_pin.h"
#include "profiler/commands/topology/cmd_topology_cached.h"
#include "profiler/commands/topology/cmd_topology_json.h"
#include "profiler/commands/topology/cmd_topology_measure.h"
#include "profiler/commands/command.h"
#include "profiler/commands/usage.h"
#include "profiler/measure/survey/survey_print.h"

static const char help[] =
    "usage: numaprof topology [--sysroot DIR] [--measure [...] | --cached[=FILE]] [--json | --html OUT]\n"
    "\n"
    "Prints packages, nodes, CPUs, memory, distances, and what this process may use of them.\n"
    "\n"
    "  --sysroot DIR   read /sys and /proc below DIR (a snapshot of another machine)\n"
    "  --json          for programs; docs/topology.md describes it\n"
    "  --html OUT      write a page for a browser, with maps of what was measured\n"
    "  --measure       latency and bandwidth from every node to every node's memory; Ctrl-C prints the results so far\n"
    "    --from NODES  only from the CPUs of these nodes, e.g. 0,2-3\n"
    "    --to NODES    only to their memory\n"
    "    --only NAMES  only these numbers, e.g. latency_random,read_all (docs/measuring.md lists them)\n"
    "    --size SIZE   of the memory used, e.g. 512M    [well past the caches, at most half of what is free]\n"
    "    --plan        only say what would be measured, and how long it takes\n"
    "  --cached[=FILE] print the cached results of this machine, or those of FILE\n";

enum {
    CMD_TOPOLOGY_LIST_BYTES = 72, // of a CPU list in the table
    CMD_TOPOLOGY_MATRIX = 32,     // nodes whose distances fit a terminal
    CMD_TOPOLOGY_PLAN = 16,       // CPUs shown of each pinning order
};

static int cmd_topology_packages(const struct topology *t)
{
    int count = 0;
    for (size_t i = 0; i < t->cpu_count; i++) {
        size_t first = 0;
        while (t->cpus[first].package != t->cpus[i].package)
            first++;
        count += first == i && t->cpus[i].package != TOPOLOGY_UNKNOWN;
    }
    return count;
}

static int cmd_topology_cores(const struct topology *t)
{
    int last = TOPOLOGY_UNKNOWN;
    for (size_t i = 0; i < t->cpu_count; i++)
        last = t->cpus[i].core > last ? t->cpus[i].core : last;
    return last + 1;
}

static int cmd_topology_online(const struct topology *t)
{
    int count = 0;
    for (size_t i = 0; i < t->cpu_count; i++)
        count += t->cpus[i].online;
    return count;
}

static void cmd_topology_count(const char *before, int count, const char *noun)
{
    printf("%s%d %s%s", before, count, noun, count == 1 ? "" : "s");
}

static void cmd_topology_print_head(const struct topology *t)
{
    int packages = cmd_topology_packages(t);
    if (packages > 0)
        cmd_topology_count("", packages, "package");
    else
        printf("packages n/a");
    cmd_topology_count(" · ", (int)t->node_count, "node");
    cmd_topology_count(" · ", cmd_topology_cores(t), "core");
    cmd_topology_count(" · ", cmd_topology_online(t), "CPU");
    printf("\n\n");
}

static const char *cmd_topology_list(char out[CMD_TOPOLOGY_LIST_BYTES], const struct cpulist *set)
{
    return cpulist_next(set, 0) < 0 ? "-" : cpulist_shorten(out, CMD_TOPOLOGY_LIST_BYTES, set);
}

// Empty nodes are named in a remark only: a GPU may reserve seven.
static void cmd_topology_print_nodes(const struct topology *t)
{
    printf("node  package  kind           memory       free        LLC  CPUs\n");
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        if (topology_node_is_empty(node))
            continue;
        char list[CMD_TOPOLOGY_LIST_BYTES], package[16] = "-";
        char memory[UNITS_BYTES_TEXT], free_memory[UNITS_BYTES_TEXT], cache[UNITS_BYTES_TEXT];
        if (node->package != TOPOLOGY_UNKNOWN)
            snprintf(package, sizeof package, "%d", node->package);
        printf("%4d  %7s  %-10s  %9s  %9s  %9s  %s\n", node->id, package, topology_memory_name(node->memory),
               units_bytes(memory, node->mem_bytes), units_bytes(free_memory, node->free_bytes),
               cpulist_next(&node->cpus, 0) < 0 ? "-" : units_bytes(cache, node->llc_bytes),
               cmd_topology_list(list, &node->cpus));
    }
}

static void cmd_topology_print_row(const struct topology *t, size_t from)
{
    printf("%8d", t->nodes[from].id);
    for (size_t to = 0; to < t->node_count; to++) {
        int distance = t->distance[from * t->node_count + to];
        if (topology_node_is_empty(&t->nodes[to]))
            continue;
        if (distance == TOPOLOGY_UNKNOWN)
            printf("  n/a");
        else
            printf(" %4d", distance);
    }
    putchar('\n');
}

static void cmd_topology_print_distances(const struct topology *t)
{
    size_t shown = 0;
    for (size_t i = 0; i < t->node_count; i++)
        shown += !topology_node_is_empty(&t->nodes[i]);
    if (shown > CMD_TOPOLOGY_MATRIX) {
        printf("\ndistances of %zu nodes are in the output of --json\n", t->node_count);
        return;
    }
    printf("\ndistance");
    for (size_t to = 0; to < t->node_count; to++)
        if (!topology_node_is_empty(&t->nodes[to]))
            printf(" %4d", t->nodes[to].id);
    putchar('\n');
    for (size_t from = 0; from < t->node_count; from++)
        if (!topology_node_is_empty(&t->nodes[from]))
            cmd_topology_print_row(t, from);
}

static int cmd_topology_print_plan(const struct topology *t, enum topology_pin policy, const char *name)
{
    int cpus[CMD_TOPOLOGY_PLAN + 1];
    int count = topology_pin_order(t, policy, cpus, CMD_TOPOLOGY_PLAN + 1);
    if (count < 0)
        return count;
    printf("%-9s ", name);
    for (int i = 0; i < count && i < CMD_TOPOLOGY_PLAN; i++)
        printf("%s%d", i > 0 ? "," : "", cpus[i]);
    puts(count > CMD_TOPOLOGY_PLAN ? ",..." : "");
    return 0;
}

static int cmd_topology_print_use(const struct topology *t)
{
    char cpus[CMD_TOPOLOGY_LIST_BYTES], nodes[CMD_TOPOLOGY_LIST_BYTES];
    printf("\nallowed   CPUs %s, nodes %s\n", cmd_topology_list(cpus, &t->allowed_cpus),
           cmd_topology_list(nodes, &t->allowed_nodes));
    int status = cmd_topology_print_plan(t, TOPOLOGY_PIN_COMPACT, "compact");
    return status < 0 ? status : cmd_topology_print_plan(t, TOPOLOGY_PIN_SCATTER, "scatter");
}

static int cmd_topology_print(const struct topology *t)
{
    cmd_topology_print_head(t);
    cmd_topology_print_nodes(t);
    cmd_topology_print_distances(t);
    int status = cmd_topology_print_use(t);
    for (size_t i = 0; i < t->note_count; i++)
        printf("%s%s\n", i == 0 ? "\nremarks\n- " : "- ", t->notes[i]);
    return status;
}

struct cmd_topology_options {
    const char *root;
    bool json, measure, plan, cached, html;
    const char *cached_file;
    struct cmd_topology_measure texts;
};

static int cmd_topology_run_measure(const struct topology *t, const struct cmd_topology_options *o)
{
    struct survey_options options;
    struct result result = {0};
    struct survey_interrupt interrupt;
    if (cmd_topology_measure_parse(&options, &o->texts, t) < 0)
        return DIAG_EXIT_FAILED;
    int status = survey_interrupt_open(&interrupt); // Ctrl-C from here on ends the measuring, not the program
    if (status < 0)
        return status;
    if (!o->json)
        status = cmd_topology_print(t);
    fflush(stdout);
    int exit_status = status < 0 ? status : cmd_topology_measure(&result, t, &options, &interrupt);
    if (status == 0 && o->json)
        status = cmd_topology_json_print(stdout, t, &result, "");
    else if (status == 0)
        survey_print_result(&result, t, "");
    result_free(&result);
    survey_interrupt_close(&interrupt);
    return status < 0 ? status : exit_status;
}

static int cmd_topology_plan(const struct topology *t, const struct cmd_topology_options *o)
{
    struct survey_options options;
    if (cmd_topology_measure_parse(&options, &o->texts, t) < 0)
        return DIAG_EXIT_FAILED;
    return cmd_topology_cached_plan(t, o->root, &options);
}

static int cmd_topology_show_cached(const struct topology *t, const struct cmd_topology_options *o)
{
    struct result result;
    int status = 0;
    if (cmd_topology_cached_load(&result, t, o->root, o->cached_file) < 0)
        return DIAG_EXIT_FAILED;
    if (o->json)
        status = cmd_topology_json_print(stdout, t, &result, o->root);
    else
        survey_print_result(&result, t, o->root);
    result_free(&result);
    return status;
}

static int cmd_topology_do(const struct topology *t, const struct cmd_topology_options *o)
{
    if (o->plan)
        return cmd_topology_plan(t, o);
    if (o->measure)
        return cmd_topology_run_measure(t, o);
    if (o->cached)
        return cmd_topology_show_cached(t, o);
    return o->json ? cmd_topology_json_print(stdout, t, NULL, o->root) : cmd_topology_print(t);
}

static int cmd_topology_show(const struct cmd_topology_options *o)
{
    struct topology *t = malloc(sizeof *t);
    int status = t ? topology_read(t, o->root) : -ENOMEM;
    if (status < 0)
        goto done;
    status = cmd_topology_do(t, o);
    topology_free(t);
done:
    free(t);
    if (status == -ENODATA)
        diag_error("mount /sys or /proc", "no CPUs to be found in %s/sys/devices/system/cpu and %s/proc/cpuinfo",
                   o->root, o->root);
    else if (status < 0)
        diag_error(NULL, "cannot read the topology: %s", strerror(-status));
    return status < 0 ? DIAG_EXIT_FAILED : status;
}

static bool cmd_topology_is_sound(const struct cmd_topology_options *o)
{
    const struct cmd_topology_measure *texts = &o->texts;
    if (!o->measure && (texts->from || texts->to || texts->only || texts->size || o->plan)) {
        diag_error("add --measure", "topology: --from, --to, --only, --size and --plan say what to measure");
        return false;
    }
    if (o->measure && o->cached) {
        diag_error("leave out one of them", "topology: --measure measures anew, --cached shows what was measured");
        return false;
    }
    if (o->plan && o->json) {
        diag_error("leave out one of them", "topology: a plan is for people, --json for programs");
        return false;
    }
    if (o->html && (o->plan || o->json)) {
        diag_error("leave out the others", "topology: --html, --plan and --json each print something else");
        return false;
    }
    if (o->measure && !o->plan && *o->root) {
        diag_error("leave out one of them, or add --plan",
                   "topology: --measure measures this machine, --sysroot shows another one");
        return false;
    }
    if (o->cached && !o->cached_file && *o->root) {
        diag_error("name that machine's file: --cached=FILE", "topology: --cached is of this machine");
        return false;
    }
    return usage_is_root(o->root);
}

int cmd_topology(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},          {"json", no_argument, NULL, 'j'},
        {"sysroot", required_argument, NULL, 's'}, {"measure", no_argument, NULL, 'm'},
        {"from", required_argument, NULL, 'f'},    {"to", required_argument, NULL, 't'},
        {"only", required_argument, NULL, 'o'},    {"size", required_argument, NULL, 'b'},
        {"plan", no_argument, NULL, 'p'},          {"cached", optional_argument, NULL, 'k'},
        {"html", required_argument, NULL, 'w'},
        {0},
    };
    struct cmd_topology_options o = {.root = ""};
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        switch (found) {
        case 'h': return fputs(help, stdout) < 0 ? DIAG_EXIT_FAILED : 0;
        case 'j': o.json = true; break;
        case 'm': o.measure = true; break;
        case 'p': o.plan = true; break;
        case 'w': o.html = true; break;
        case 'k': o.cached = true; o.cached_file = optarg; break;
        case 's': o.root = usage_root(optarg); break;
        case 'f': o.texts.from = optarg; break;
        case 't': o.texts.to = optarg; break;
        case 'o': o.texts.only = optarg; break;
        case 'b': o.texts.size = optarg; break;
        default: return usage_bad_option(argv, found);
        }
    }
    if (optind < argc)
        return usage_bad_argument(argv, argv[optind]);
    if (!cmd_topology_is_sound(&o))
        return DIAG_EXIT_FAILED;
    return o.html ? cmd_experiments_hand_over(argc, argv) : cmd_topology_show(&o);
}
