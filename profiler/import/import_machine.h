// SPDX-License-Identifier: Apache-2.0
// The machine that perf recorded on, from the file's feature sections or a snapshot of its /sys.
#ifndef PROFILER_IMPORT_IMPORT_MACHINE_H
#define PROFILER_IMPORT_IMPORT_MACHINE_H

#include "profiler/import/perf_data/perf_features.h"
#include "profiler/recorder/run/machine.h"

// Nodes, CPUs and packages. A file without NUMA topology gives a machine without nodes, whose local accesses are not
// known. From sysroot, if it is not NULL: blocks of memory go to the features that lack them; -ENODATA: it has no CPUs;
// -EXDEV: its nodes contradict the file's. -ENOMEM. machine_close frees it in all cases. The CPU is the file's; where
// that names none, sysroot's.
int import_machine_read(struct machine *machine, struct perf_features *features, const char *sysroot);

// Whether the recorded machine has the architecture of this program, so that its registers can be unwound.
bool import_machine_is_ours(const struct perf_features *features);

// Whether 2 MiB may be one page of 512 base pages: x86.
bool import_machine_has_huge_pages(const struct perf_features *features);

// Bytes of a base page, assumed from the architecture: perf does not record them.
int64_t import_machine_page_bytes(const struct perf_features *features, uint64_t whole_pages);

#endif
