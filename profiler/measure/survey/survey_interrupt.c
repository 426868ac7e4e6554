// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/survey/survey_interrupt.h"

#include <stdbool.h>

static void survey_interrupt_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

static void *survey_interrupt_wait(void *argument)
{
    struct survey_interrupt *interrupt = argument;
    sigset_t set;
    int number;
    survey_interrupt_set(&set);
    if (sigwait(&set, &number) == 0) {
        interrupt->number = number;
        atomic_store(&interrupt->stop, true);
    }
    return NULL;
}

int survey_interrupt_open(struct survey_interrupt *interrupt)
{
    sigset_t set;
    *interrupt = (struct survey_interrupt){.number = 0};
    survey_interrupt_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, &interrupt->before); // inherited by the thread, and by all that measure
    int status = -pthread_create(&interrupt->thread, NULL, survey_interrupt_wait, interrupt);
    if (status < 0)
        pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
    return status;
}

void survey_interrupt_close(struct survey_interrupt *interrupt)
{
    pthread_cancel(interrupt->thread); // sigwait is a place where it can be
    pthread_join(interrupt->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}
