// SPDX-License-Identifier: Apache-2.0
// Threads that runtimes start for their own housekeeping. Pinned, they would use up CPU slots that the
// program's own threads should have (likwid-pin's users know the effect).
#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
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

struct helpers_search {
    ElfW(Addr) address;
    bool is_helper;
    const char *routine; // it is one if this is its name
};

static bool helpers_has(const struct dl_phdr_info *info, ElfW(Addr) address)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - info->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

static int helpers_look(struct dl_phdr_info *info, size_t size, void *context)
{
    struct helpers_search *search = context;
    (void)size;
    if (!helpers_has(info, search->address))
        return 0;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *library = slash ? slash + 1 : info->dlpi_name; // "": the program itself
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
        if (fnmatch(helpers[i].library, library, 0) != 0)
            continue;
        search->is_helper |= !helpers[i].routine;
        search->routine = helpers[i].routine;
    }
    return 1;
}

bool preload_is_helper(const void *start_routine)
{
    // A program may start thousands of threads: dladdr, which reads all names of a library, only where a name is asked.
    struct helpers_search search = {.address = (ElfW(Addr))start_routine};
    Dl_info where;
    dl_iterate_phdr(helpers_look, &search);
    if (!search.routine)
        return search.is_helper;
    return dladdr(start_routine, &where) && where.dli_sname && strcmp(search.routine, where.dli_sname) == 0;
}
