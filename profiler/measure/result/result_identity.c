// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/result_identity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/system/sysfile.h"
#include "core/util/table.h"

// Read by anybody; serial numbers, which are not, are not needed.
static const char *const result_identity_board[] = {"sys_vendor", "product_name", "board_name", "bios_version"};

static void result_identity_write(FILE *out, const struct topology *t, bool with_software)
{
    struct utsname system = {0};
    const struct cpu_identity *cpu = &t->cpu;
    char text[256];
    uname(&system);
    fprintf(out, "%s|%s", system.nodename, system.machine);
    for (size_t i = 0; i < sizeof result_identity_board / sizeof *result_identity_board; i++)
        fprintf(out, "|%s",
                sysfile_text("", text, sizeof text, "/sys/class/dmi/id/%s", result_identity_board[i]) < 0 ? "" : text);
    if (*cpu->vendor)
        fprintf(out, "|%s %d %d %d %s", cpu->vendor, cpu->family, cpu->model, cpu->stepping, cpu->name);
    for (size_t i = 0; i < t->node_count; i++) {
        char cpus[CPULIST_SHORT_BYTES * 4];
        const struct topology_node *node = &t->nodes[i];
        // Not the memory's size: a virtual machine's changes while it runs.
        fprintf(out, "|node %d: %s%s, distances", node->id, cpulist_shorten(cpus, sizeof cpus, &node->cpus),
                node->mem_bytes == 0 ? ", no memory" : "");
        for (size_t to = 0; to < t->node_count; to++)
            fprintf(out, " %d", t->distance[i * t->node_count + to]);
    }
    if (with_software)
        fprintf(out, "|Linux %s|microcode %s", system.release, cpu->microcode);
}

int result_identity_make(char **text, const struct topology *t, bool with_software)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return -ENOMEM;
    result_identity_write(out, t, with_software);
    if (fclose(out) != 0)
        return -ENOMEM;
    for (char *at = *text; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' '; // it must stay one line
    return 0;
}

char *result_identity_key(char out[RESULT_IDENTITY_KEY_BYTES], const char *text)
{
    snprintf(out, RESULT_IDENTITY_KEY_BYTES, "%016" PRIx64, table_mix_text(0, text));
    return out;
}
