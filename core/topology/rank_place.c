// SPDX-License-Identifier: Apache-2.0
#include "core/topology/rank_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "core/system/user_folder.h"
#include "core/util/table.h"

enum {
    RANK_PLACE_MOST = 4096,    // recorders that share CPUs
    RANK_PLACE_KEY_SHIFT = 14, // of a key: the other bits and 12 of the place are an offset of 62 bits
};

// Of the same job and the same CPUs.
static uint64_t rank_place_key(const struct rank *rank, const struct cpulist *cpus)
{
    uint64_t key = table_mix_text(table_mix_text(0, rank->launcher), rank->job);
    for (int cpu = cpulist_next(cpus, 0); cpu >= 0; cpu = cpulist_next(cpus, cpu + 1))
        key = table_mix(key, (uint64_t)cpu);
    return key;
}

// The kernel frees the lock of a recorder that dies. F_OFD_SETLK never waits.
static int rank_place_lock(int file, uint64_t key, int place)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1,
                         .l_start = (off_t)(key >> RANK_PLACE_KEY_SHIFT) * RANK_PLACE_MOST + place};
    return fcntl(file, F_OFD_SETLK, &lock) < 0 ? -errno : 0;
}

// Each place is one byte of the file, which stays empty.
static int rank_place_open(void)
{
    const int folder = user_folder_open();
    if (folder < 0)
        return folder;
    const int file = openat(folder, "ranks", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    const int status = file < 0 ? -errno : file;
    close(folder);
    return status;
}

int rank_place_claim(const struct rank *rank, const struct cpulist *cpus, int *place)
{
    const uint64_t key = rank_place_key(rank, cpus);
    const int file = rank_place_open();
    if (file < 0)
        return file;
    int status = -EAGAIN;
    for (*place = 0; *place < RANK_PLACE_MOST && status == -EAGAIN; (*place)++)
        status = rank_place_lock(file, key, *place);
    if (status == 0) {
        --*place;
        return file;
    }
    close(file);
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
