// SPDX-License-Identifier: Apache-2.0
// multiplex CPU OTHER REFERENCE EVENT...: each EVENT in a group of its own with REFERENCE, more groups than the
// counters hold, while loads go by turns to CPU's node and to that of OTHER and none is in a cache. Prints for each
// group its time enabled, its time running, EVENT and REFERENCE; last how many loads there were.
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lab.h"

enum { MOST = 16, BYTES = 4 << 20, LAPS = 40, LIMIT = 4000 };

struct reading {
    uint64_t number, enabled, running, event, reference;
};

static int open_group(const char *event, const char *reference)
{
    struct perf_event_attr first = event_encode(event), second = event_encode(reference);
    first.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    second.read_format = first.read_format;
    second.disabled = 0;
    int leader = event_open(&first, 0, -1, -1);
    if (leader < 0)
        fail(event);
    if (event_open(&second, 0, -1, leader) < 0)
        fail(reference);
    return leader;
}

static struct reading group_read(int fd)
{
    struct reading reading;
    if (read(fd, &reading, sizeof reading) != sizeof reading)
        fail("read of a group");
    return reading;
}

static bool all_have_run(const int *groups, int count)
{
    for (int i = 0; i < count; i++)
        if (group_read(groups[i]).running == 0)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    int groups[MOST], count = argc - 4;
    if (count < 1 || count > MOST)
        fail("arguments");
    pin(atoi(argv[1]));
    char *halves[2] = {memory_on(node_of(atoi(argv[1])), BYTES), memory_on(node_of(atoi(argv[2])), BYTES)};
    char *at = chain_by_turns(halves, BYTES);
    size_t lap = 2 * BYTES / LINE, loads = 0;
    at = chase(at, lap);
    for (int i = 0; i < count; i++)
        groups[i] = open_group(argv[4 + i], argv[3]);
    for (int i = 0; i < count; i++)
        event_enable(groups[i]);
    for (int laps = 0; laps < LAPS || (laps < LIMIT && !all_have_run(groups, count)); laps++, loads += lap)
        at = chase(at, lap);
    for (int i = 0; i < count; i++)
        event_disable(groups[i]);
    for (int i = 0; i < count; i++) {
        struct reading reading = group_read(groups[i]);
        printf("%lu %lu %lu %lu\n", reading.enabled, reading.running, reading.event, reading.reference);
    }
    printf("%zu\n", loads);
    return 0;
}
