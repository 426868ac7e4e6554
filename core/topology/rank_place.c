// SPDX-License-Identifier: Apache-2.0
#include "core/topology/rank_place.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/system/abstract_name.h"
#include "core/util/table.h"

enum { RANK_PLACE_MOST = 4096 }; // recorders that share CPUs

// Of the same job and the same CPUs.
static uint64_t rank_place_key(const struct rank *rank, const struct cpulist *cpus)
{
    uint64_t key = table_mix_text(table_mix_text(0, rank->launcher), rank->job);
    for (int cpu = cpulist_next(cpus, 0); cpu >= 0; cpu = cpulist_next(cpus, cpu + 1))
        key = table_mix(key, (uint64_t)cpu);
    return key;
}

int rank_place_claim(const struct rank *rank, const struct cpulist *cpus, int *place)
{
    const uint64_t key = rank_place_key(rank, cpus);
    int held = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (held < 0)
        return -errno;
    for (*place = 0; *place < RANK_PLACE_MOST; (*place)++) {
        const struct abstract_name name = abstract_name("rank-of-numaprof-%u-%016llx-%d", (unsigned)getuid(),
                                                        (unsigned long long)key, *place);
        if (bind(held, (const struct sockaddr *)&name.address, name.size) == 0)
            return held;
        if (errno != EADDRINUSE)
            break;
    }
    int status = *place < RANK_PLACE_MOST ? -errno : -EAGAIN;
    close(held);
    return status;
}

// The base-2 radical inverse of place, times count (van der Corput).
static int rank_place_between(int place, int count)
{
    long part = 0, whole = 1;
    for (unsigned bits = (unsigned)place; bits; bits >>= 1) {
        part = part * 2 + (bits & 1);
        whole *= 2;
    }
    return (int)(part * count / whole);
}

int rank_place_first_slot(int place, int sharers, int count)
{
    return place < sharers ? (int)((long)place * count / sharers) : rank_place_between(place, count);
}
