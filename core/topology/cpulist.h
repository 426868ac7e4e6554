// SPDX-License-Identifier: Apache-2.0
// Sets of CPU or node numbers in the kernel's list format: "0-3,7", also "0-30:2/8" ranges of affinity masks.
#ifndef CORE_TOPOLOGY_CPULIST_H
#define CORE_TOPOLOGY_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The kernel's largest NR_CPUS (x86 MAXSMP): numbers from 0 to CPULIST_MAX - 1.
enum { CPULIST_MAX = 8192 };
// Room for any set as text: no member needs more than four digits and a comma.
enum { CPULIST_TEXT_BYTES = CPULIST_MAX * 5 + 1 };

struct cpulist {
    uint64_t bits[CPULIST_MAX / 64];
};

// An empty text is an empty set. -EINVAL: not a list; -ERANGE: a number beyond CPULIST_MAX. Numbers that a person gives
// in an order that matters are read by cpulist_order instead.
int cpulist_parse(struct cpulist *set, const char *text);
// The kernel's mask format, words of 32 bits in hexadecimal, the highest first: "00000003,ffffffff". Errors as above.
int cpulist_parse_mask(struct cpulist *set, const char *text);

// Numbers in the order of the text, without duplicates, at most max of them. Returns how many, or -EINVAL, -ERANGE.
int cpulist_order(int *numbers, size_t max, const char *text);

// Writes the list format; cut off at size. Returns out.
char *cpulist_format(char *out, size_t size, const struct cpulist *set);
// The same for people: a list too long for out ends with ",... (N)", N being how many members there are. size is at
// least CPULIST_SHORT_BYTES. Returns out.
char *cpulist_shorten(char *out, size_t size, const struct cpulist *set);
enum { CPULIST_SHORT_BYTES = 32 };

void cpulist_add(struct cpulist *set, int number);
void cpulist_remove(struct cpulist *set, int number);
bool cpulist_has(const struct cpulist *set, int number);
int cpulist_count(const struct cpulist *set);
// Smallest member that is at least from, or -1.
int cpulist_next(const struct cpulist *set, int from);

#endif
