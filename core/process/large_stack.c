// SPDX-License-Identifier: Apache-2.0
#include "core/process/large_stack.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

enum { LARGE_STACK_BYTES = 8 << 20 }; // as main threads commonly have

struct large_stack_work {
    void (*work)(void *context);
    void *context;
    bool is_done;
};

static __thread jmp_buf *large_stack_return; // of the thread's work, for a handler that knows nothing of it

static void large_stack_do(struct large_stack_work *w)
{
    jmp_buf here;
    large_stack_return = &here;
    if (setjmp(here) == 0) {
        w->work(w->context);
        w->is_done = true;
    }
    large_stack_return = NULL;
}

static void *large_stack_thread(void *argument)
{
    large_stack_do(argument);
    return NULL;
}

bool large_stack_run(void (*work)(void *context), void *context)
{
    struct large_stack_work w = {.work = work, .context = context};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, LARGE_STACK_BYTES);
    if (pthread_create(&thread, &attributes, large_stack_thread, &w) == 0)
        pthread_join(thread, NULL);
    else
        large_stack_do(&w);
    pthread_attr_destroy(&attributes);
    return w.is_done;
}

void large_stack_give_up(void)
{
    if (!large_stack_return)
        abort(); // called outside of any work
    longjmp(*large_stack_return, 1);
}
