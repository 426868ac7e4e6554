// SPDX-License-Identifier: Apache-2.0
// Which CPU this is, from /proc/cpuinfo. One form for all architectures, so that the event catalogue matches all of
// them alike:
//
//   x86     vendor as CPUID spells it, family, model and stepping as the kernel shows them (extended ones folded in)
//   Arm     vendor: the implementer, "0x41"; family: architecture; model: part; stepping: variant * 16 + revision
//   POWER   vendor: "IBM"; family unknown; model: upper half of the PVR; stepping: lower half
#ifndef CORE_SYSTEM_CPU_IDENTITY_H
#define CORE_SYSTEM_CPU_IDENTITY_H

#include <stdbool.h>

struct cpu_identity {
    char vendor[24];             // "" unknown
    int family, model, stepping; // -1 unknown
    char name[128];              // as the kernel prints it, cut off; hostile in a snapshot; "" unknown
    char microcode[24];          // revision, as the kernel prints it; "" unknown
    bool mixed;                  // other CPUs of this machine are of other models (Arm, and Intel's hybrids)
};

// Reads the first CPU of ROOT/proc/cpuinfo, and whether the others are like it. -EINVAL: no CPU that this knows how to
// name is described there; its vendor is "" then.
int cpu_identity_read(struct cpu_identity *identity, const char *root);

#endif
