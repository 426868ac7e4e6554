// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a flag: a thread waits for the signals and sets it, so that no handler and no global variable are needed.
#ifndef PROFILER_MEASURE_SURVEY_SURVEY_INTERRUPT_H
#define PROFILER_MEASURE_SURVEY_SURVEY_INTERRUPT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

struct survey_interrupt {
    atomic_bool stop;           // INT, TERM or HUP came
    int number;                 // of the signal, once stop is set
    sigset_t before;
    pthread_t thread;
};

// Before any other thread is made. -EAGAIN: no thread to be had.
int survey_interrupt_open(struct survey_interrupt *interrupt);
void survey_interrupt_close(struct survey_interrupt *interrupt);

#endif
