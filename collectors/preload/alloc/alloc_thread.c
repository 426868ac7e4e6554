// SPDX-License-Identifier: Apache-2.0
// The memory of a thread: its stack, and its own copies of thread-local variables.
#include <link.h>
#include <pthread.h>

#include "collectors/preload/alloc/alloc.h"

extern void *__libc_stack_end; // ld.so's: where the main thread's stack began

static __thread uintptr_t stack_start, stack_end, stack_base;

// Bytes of a thread's stack beyond its first frame: the frame of the C library's start routine. The thread's own data
// follow, which are not worth a copy.
enum { THREAD_BASE_BYTES = 512 };

static void thread_find_stack(void)
{
    pthread_attr_t attributes;
    void *address;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &address, &size) == 0) {
        stack_start = (uintptr_t)address;
        stack_end = stack_start + size;
    }
    pthread_attr_destroy(&attributes);
}

// dlpi_tls_data is the calling thread's copy, NULL while it has none.
static int thread_tell_variables(struct dl_phdr_info *info, size_t size, void *argument)
{
    const uint64_t since = *(const uint64_t *)argument;
    (void)size;
    for (int i = 0; info->dlpi_tls_data && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_TLS || segment->p_memsz < ALLOC_TLS_LEAST)
            continue;
        if (since > 0)
            alloc_write_tls(info->dlpi_tls_data, segment->p_memsz, info->dlpi_phdr, since);
        else
            alloc_write_freed(ALLOC_TLS, info->dlpi_tls_data, segment->p_memsz);
    }
    return 0;
}

void alloc_thread_variables(uint64_t since)
{
    dl_iterate_phdr(thread_tell_variables, &since);
}

void alloc_thread_began(uint64_t since, const void *frame)
{
    thread_find_stack();
    stack_base = (uintptr_t)frame + THREAD_BASE_BYTES;
    if (stack_end > stack_start)
        alloc_write_allocated(ALLOC_STACK, (const void *)stack_start, stack_end - stack_start, since);
    alloc_thread_variables(since);
}

void alloc_thread_ended(void)
{
    alloc_thread_variables(0);
    if (stack_end > stack_start)
        alloc_write_freed(ALLOC_STACK, (const void *)stack_start, stack_end - stack_start);
}

// For an unknown thread, only the page that holds the pointer is certain to be mapped. A stack of another kind (a
// coroutine's, a signal's) lies outside the known one and is treated alike.
uintptr_t alloc_stack_end(uintptr_t pointer)
{
    enum { PAGE = 4096, MAIN_STACK_MOST = 8 << 20 };
    uintptr_t page_end = (pointer | (PAGE - 1)) + 1, main_end = (uintptr_t)__libc_stack_end;
    if (stack_end == 0 && pointer < main_end && main_end - pointer < MAIN_STACK_MOST)
        return main_end;
    if (pointer < stack_start || pointer >= stack_end)
        return page_end;
    return pointer < stack_base && stack_base < stack_end ? stack_base : stack_end;
}
