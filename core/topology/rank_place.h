// SPDX-License-Identifier: Apache-2.0
// Where a rank begins among the CPUs that it shares with other ranks of its host, whose numbers nobody tells.
#ifndef CORE_TOPOLOGY_RANK_PLACE_H
#define CORE_TOPOLOGY_RANK_PLACE_H

#include "core/system/rank.h"
#include "core/topology/cpulist.h"

// *place: the least number, from 0, that no other recorder holds whose rank is of this job and may use exactly these
// CPUs. Returns a descriptor that holds the number until it is closed, also by death, or -errno.
int rank_place_claim(const struct rank *rank, const struct cpulist *cpus, int *place);

// Index of the first CPU slot of the rank at this place. sharers: ranks of these CPUs, 0: not known. Known: they divide
// count slots evenly; else each place halves the largest gap there is: 0, 1/2, 1/4, 3/4, ... of count.
int rank_place_first_slot(int place, int sharers, int count);

#endif
