// SPDX-License-Identifier: Apache-2.0
// Starts threads, and says why one cannot be started.
#ifndef CORE_PROCESS_THREAD_CREATE_H
#define CORE_PROCESS_THREAD_CREATE_H

#include <pthread.h>

// -EAGAIN: the limit of processes; -ENOMEM: no memory for the stack.
int thread_create(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
