// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/launch_thread.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/process/thread_create.h"

struct launch_request {
    struct launch *launch;
    const struct target *target;
    char **arguments;
    const struct launch_signals *signals;
    char *const *environment;
    int status;
};

static void launch_thread_wait(sem_t *semaphore)
{
    while (sem_wait(semaphore) < 0 && errno == EINTR)
        continue;
}

static void *launch_thread_run(void *argument)
{
    struct launch_thread *thread = argument;
    thread->tid = (pid_t)syscall(SYS_gettid);
    sem_post(&thread->done);
    for (launch_thread_wait(&thread->asked); thread->request; launch_thread_wait(&thread->asked)) {
        struct launch_request *r = thread->request;
        r->status = launch_prepare(r->launch, r->target, r->arguments, r->signals, r->environment);
        sem_post(&thread->done);
    }
    return NULL;
}

int launch_thread_start(struct launch_thread *thread)
{
    *thread = (struct launch_thread){0};
    sem_init(&thread->asked, 0, 0);
    sem_init(&thread->done, 0, 0);
    int status = thread_create(&thread->thread, launch_thread_run, thread);
    if (status < 0)
        return status;
    thread->runs = true;
    launch_thread_wait(&thread->done);
    return 0;
}

int launch_thread_prepare(struct launch_thread *thread, struct launch *launch, const struct target *target,
                          char **arguments, const struct launch_signals *signals, char *const *environment)
{
    struct launch_request request = {.launch = launch, .target = target, .arguments = arguments, .signals = signals,
                                     .environment = environment};
    thread->request = &request;
    sem_post(&thread->asked);
    launch_thread_wait(&thread->done);
    return request.status;
}

void launch_thread_stop(struct launch_thread *thread)
{
    if (!thread->runs)
        return;
    thread->request = NULL;
    sem_post(&thread->asked);
    pthread_join(thread->thread, NULL);
    sem_destroy(&thread->asked);
    sem_destroy(&thread->done);
    thread->runs = false;
}
