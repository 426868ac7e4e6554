// SPDX-License-Identifier: Apache-2.0
// Threads that runtimes start for their own housekeeping. Pinned, they would use up CPU slots that the
// program's own threads should have (likwid-pin's users know the effect).
#include <dlfcn.h>
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "collectors/preload/preload.h"

// Library and start routine; NULL: any routine of a library without a symbol for it. Source: the code of the projects.
static const struct {
    const char *library, *routine;
} helpers[] = {
    {"libiomp5.so*", "__kmp_launch_monitor"}, {"libomp.so*", "__kmp_launch_monitor"}, // LLVM/Intel OpenMP
    {"libjemalloc.so*", NULL},                                                        // background_thread
    {"libtcmalloc*.so*", NULL},
    {"libmimalloc.so*", NULL},
    {"libcuda.so*", NULL},          {"libhsa-runtime64.so*", NULL},  {"libamdhip64.so*", NULL},   // GPU drivers
    {"libopen-pal.so*", NULL},      {"libpmix.so*", NULL},           {"libuc[stp].so*", NULL},    // MPI progress
    {"libfabric.so*", NULL},        {"libpsm2.so*", NULL},           {"libmpi*.so*", NULL},
    {"librt.so*", NULL},            {"libc.so*", NULL},              // timers, asynchronous I/O
};

bool preload_is_helper(const void *start_routine)
{
    Dl_info where;
    if (!dladdr(start_routine, &where) || !where.dli_fname)
        return false;
    const char *slash = strrchr(where.dli_fname, '/');
    const char *library = slash ? slash + 1 : where.dli_fname;
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
        if (fnmatch(helpers[i].library, library, 0) != 0)
            continue;
        if (!helpers[i].routine || (where.dli_sname && fnmatch(helpers[i].routine, where.dli_sname, 0) == 0))
            return true;
    }
    return false;
}
