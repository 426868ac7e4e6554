// SPDX-License-Identifier: Apache-2.0
// Where the calling thread's stack is, and how much of it can be read.
#include <pthread.h>

#include "collectors/preload/alloc/alloc.h"

extern void *__libc_stack_end; // ld.so's: where the main thread's stack began

static __thread uintptr_t stack_start, stack_end, stack_base;

// Bytes of a thread's stack beyond its first frame: the frame of the C library's start routine. The thread's own data
// follow, which are not worth a copy.
enum { STACK_BASE_BYTES = 512 };

void alloc_stack_find(const void *frame)
{
    pthread_attr_t attributes;
    void *address;
    size_t size;
    stack_base = (uintptr_t)frame + STACK_BASE_BYTES;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &address, &size) == 0) {
        stack_start = (uintptr_t)address;
        stack_end = stack_start + size;
    }
    pthread_attr_destroy(&attributes);
}

bool alloc_stack_known(const void **start, size_t *bytes)
{
    *start = (const void *)stack_start;
    *bytes = stack_end - stack_start;
    return stack_end > stack_start;
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
