// SPDX-License-Identifier: Apache-2.0
// Which threads are a runtime's own: by the library that their start routine is in now, at little cost.
#define dl_iterate_phdr real_iterate
#define dladdr real_dladdr
#include <dlfcn.h>
#include <link.h>
#undef dl_iterate_phdr
#undef dladdr

static int dl_iterate_phdr(int (*look)(struct dl_phdr_info *, size_t, void *), void *context);
static int dladdr(const void *address, Dl_info *where);

#include "collectors/preload/helpers.c"

#include "check.h"

enum { BASE = 0x10000, PROGRAM = 0x20000, BYTES = 0x1000, AT = BASE + 0x100 };
static const char *library, *routine; // what is loaded at BASE, and the name of what is at AT
static int names_read;

static int dl_iterate_phdr(int (*look)(struct dl_phdr_info *, size_t, void *), void *context)
{
    const ElfW(Phdr) part = {.p_type = PT_LOAD, .p_memsz = BYTES};
    struct dl_phdr_info program = {.dlpi_name = "", .dlpi_addr = PROGRAM, .dlpi_phdr = &part, .dlpi_phnum = 1};
    struct dl_phdr_info other = {.dlpi_name = library, .dlpi_addr = BASE, .dlpi_phdr = &part, .dlpi_phnum = 1};
    const int status = look(&program, sizeof program, context);
    return status != 0 ? status : look(&other, sizeof other, context);
}

static int dladdr(const void *address, Dl_info *where)
{
    (void)address;
    names_read++;
    *where = (Dl_info){.dli_fname = library, .dli_sname = routine};
    return 1;
}

static bool is_helper_in(const char *loaded, const char *name)
{
    library = loaded;
    routine = name;
    return preload_is_helper((const void *)(uintptr_t)AT);
}

TEST(a_thread_is_a_helper_by_what_is_loaded_now_where_it_starts)
{
    CHECK(!is_helper_in("/opt/libwork.so", "work"));
    CHECK(is_helper_in("/opt/libmimalloc.so.2", "work")); // where the other one was
    CHECK(!is_helper_in("/opt/libwork.so", "work"));
    CHECK(!preload_is_helper((const void *)(uintptr_t)PROGRAM));
    CHECK(!preload_is_helper((const void *)(uintptr_t)(BASE + BYTES)));
    CHECK_EQ(names_read, 0);
}

TEST(names_are_read_only_where_a_name_decides)
{
    CHECK(is_helper_in("/opt/libomp.so.5", "__kmp_launch_monitor"));
    CHECK(!is_helper_in("/opt/libomp.so.5", "__kmp_launch_worker"));
    CHECK(!is_helper_in("/opt/libomp.so.5", NULL));
    CHECK_EQ(names_read, 3);
}
