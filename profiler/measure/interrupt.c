// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/interrupt.h"

#include <stdbool.h>

static void interrupt_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

static void *interrupt_wait(void *argument)
{
    struct interrupt *interrupt = argument;
    sigset_t set;
    int number;
    interrupt_set(&set);
    if (sigwait(&set, &number) == 0) {
        interrupt->number = number;
        atomic_store(&interrupt->stop, true);
    }
    return NULL;
}

int interrupt_open(struct interrupt *interrupt)
{
    sigset_t set;
    *interrupt = (struct interrupt){.number = 0};
    interrupt_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, &interrupt->before); // inherited by the thread, and by all that measure
    int status = -pthread_create(&interrupt->thread, NULL, interrupt_wait, interrupt);
    if (status < 0)
        pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
    return status;
}

void interrupt_close(struct interrupt *interrupt)
{
    pthread_cancel(interrupt->thread); // sigwait is a place where it can be
    pthread_join(interrupt->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}
