// SPDX-License-Identifier: Apache-2.0
// The memory of a thread: its stack, and its own copies of thread-local variables.
#include <link.h>

#include "collectors/preload/alloc/alloc.h"

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
    const void *start;
    size_t bytes;
    alloc_stack_find(frame);
    if (alloc_stack_known(&start, &bytes))
        alloc_write_allocated(ALLOC_STACK, start, bytes, since);
    alloc_thread_variables(since);
}

void alloc_thread_ended(void)
{
    const void *start;
    size_t bytes;
    alloc_thread_variables(0);
    if (alloc_stack_known(&start, &bytes))
        alloc_write_freed(ALLOC_STACK, start, bytes);
}
