// SPDX-License-Identifier: Apache-2.0
#include "core/process/large_stack.h"

#include <pthread.h>

enum { LARGE_STACK_BYTES = 8 << 20 }; // as main threads commonly have

struct large_stack_work {
    void (*work)(void *context);
    void *context;
};

static void *large_stack_thread(void *argument)
{
    const struct large_stack_work *w = argument;
    w->work(w->context);
    return NULL;
}

void large_stack_run(void (*work)(void *context), void *context)
{
    struct large_stack_work w = {.work = work, .context = context};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, LARGE_STACK_BYTES);
    if (pthread_create(&thread, &attributes, large_stack_thread, &w) == 0)
        pthread_join(thread, NULL);
    else
        work(context);
    pthread_attr_destroy(&attributes);
}
