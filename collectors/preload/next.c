// SPDX-License-Identifier: Apache-2.0
// Calls that go past the functions of this library, to those that stand behind them.
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/preload.h"

void *preload_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

// Looked up once: the library calls it where dlsym is not allowed, for one in a signal handler.
long preload_syscall(long number, ...)
{
    static _Atomic(long (*)(long, ...)) next;
    long (*call)(long, ...) = atomic_load_explicit(&next, memory_order_relaxed);
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (!call) {
        *(void **)&call = preload_next("syscall");
        atomic_store_explicit(&next, call, memory_order_relaxed);
    }
    return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
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
