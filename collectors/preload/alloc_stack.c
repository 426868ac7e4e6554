// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include "collectors/preload/alloc.h"

extern void *__libc_stack_end; // ld.so's: where the main thread's stack began

static __thread uintptr_t stack_end;

void alloc_stack_thread(void)
{
    pthread_attr_t attributes;
    void *address;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &address, &size) == 0)
        stack_end = (uintptr_t)address + size;
    pthread_attr_destroy(&attributes);
}

// Of a thread that is not known, only the page the pointer is on is sure to be there. A stack of another kind (a
// coroutine's, a signal's) lies outside the known one and is treated alike.
uintptr_t alloc_stack_end(uintptr_t pointer)
{
    enum { PAGE = 4096, MAIN_STACK_MOST = 8 << 20 };
    uintptr_t page_end = (pointer | (PAGE - 1)) + 1, main_end = (uintptr_t)__libc_stack_end;
    if (stack_end == 0 && pointer < main_end && main_end - pointer < MAIN_STACK_MOST)
        return main_end;
    bool is_own = stack_end > pointer && stack_end - pointer < (uintptr_t)1 << 30;
    return is_own ? stack_end : page_end;
}
