// SPDX-License-Identifier: Apache-2.0
#include "core/process/thread_create.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

static bool thread_create_has_memory(void)
{
    size_t bytes = 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return false;
    munmap(stack, bytes);
    return true;
}

int thread_create(pthread_t *thread, void *(*run)(void *), void *argument)
{
    int error = pthread_create(thread, NULL, run, argument);
    // POSIX has one error for both causes.
    return error == EAGAIN && !thread_create_has_memory() ? -ENOMEM : -error;
}
