// SPDX-License-Identifier: Apache-2.0
// Calls that go past the functions of this library, to those that stand behind them.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/preload.h"

void *preload_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

// In a program that is linked to fixed addresses, the address of malloc may be that of its entry in the program's
// procedure linkage table, which leads here: such a symbol is undefined there.
bool preload_is_bypassed(void)
{
    void *found = dlsym(RTLD_DEFAULT, "malloc");
    const ElfW(Sym) *symbol = NULL;
    Dl_info theirs, ours;
    if (!found || !dladdr1(found, &theirs, (void **)&symbol, RTLD_DL_SYMENT) || !dladdr((void *)preload_next, &ours))
        return true;
    return theirs.dli_fbase != ours.dli_fbase && (!symbol || symbol->st_shndx != SHN_UNDEF);
}

void *preload_map(size_t bytes, int flags, int fd)
{
    void *memory = (void *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0L);
    return memory == MAP_FAILED ? NULL : memory;
}

void preload_unmap(uintptr_t start, size_t bytes)
{
    if (bytes > 0)
        syscall(SYS_munmap, start, bytes);
}
