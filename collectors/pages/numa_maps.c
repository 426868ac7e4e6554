// SPDX-License-Identifier: Apache-2.0
#include "collectors/pages/numa_maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"

// A word "N<node>=<pages>".
static int numa_maps_count(const char *word, int *node, uint64_t *pages)
{
    return sscanf(word, "N%d=%" SCNu64, node, pages) == 2 && *node >= 0;
}

// Counts are in pages of the mapping's own size, which stands last: kernelpagesize_kB=2048.
static uint64_t numa_maps_scale(const char *line, uint64_t page_bytes)
{
    uint64_t kilobytes;
    const char *size = strstr(line, "kernelpagesize_kB=");
    if (!size || sscanf(size, "kernelpagesize_kB=%" SCNu64, &kilobytes) != 1)
        return 1;
    uint64_t scale = kilobytes * 1024 / page_bytes;
    return scale > 0 ? scale : 1;
}

struct numa_maps_walk {
    uint64_t page_bytes, next; // next: the first address behind all counts so far
    numa_maps_handler *handle;
    void *context;
};

static void numa_maps_line(struct numa_maps_walk *walk, char *line)
{
    char *rest = NULL;
    uint64_t scale = numa_maps_scale(line, walk->page_bytes);
    struct numa_maps_count count;
    const char *word = strtok_r(line, " ", &rest);
    if (!word || sscanf(word, "%" SCNx64, &count.mapping) != 1)
        return;
    while ((word = strtok_r(NULL, " ", &rest))) {
        if (!numa_maps_count(word, &count.node, &count.pages))
            continue;
        count.pages *= scale;
        count.address = count.mapping > walk->next ? count.mapping : walk->next;
        walk->next = count.address + walk->page_bytes;
        walk->handle(walk->context, &count);
    }
}

void numa_maps_parse(const char *text, uint64_t page_bytes, numa_maps_handler *handle, void *context)
{
    struct numa_maps_walk walk = {.page_bytes = page_bytes, .handle = handle, .context = context};
    char *copy = strdup(text), *rest = NULL;
    for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        numa_maps_line(&walk, line);
    free(copy);
}

int numa_maps_read(pid_t pid, uint64_t page_bytes, numa_maps_handler *handle, void *context)
{
    char *text;
    int status = sysfile_whole("", &text, "/proc/%d/numa_maps", pid);
    if (status < 0)
        return status;
    numa_maps_parse(text, page_bytes, handle, context);
    free(text);
    return 0;
}
