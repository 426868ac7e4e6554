// SPDX-License-Identifier: Apache-2.0
// Does a system call get through to the kernel? Tried with all arguments 0 in a child, which a seccomp filter may kill.
#ifndef PROFILER_DOCTOR_DOCTOR_GATE_H
#define PROFILER_DOCTOR_DOCTOR_GATE_H

enum { DOCTOR_GATE_KILLS = -1 };

// 0: it does; an errno value: it is refused with that before the kernel looks at it; DOCTOR_GATE_KILLS. The calls known
// to be harmless and telling are perf_event_open (EFAULT), move_pages and get_mempolicy (both succeed).
int doctor_gate(long system_call);

#endif
