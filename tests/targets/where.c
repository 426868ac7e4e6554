// SPDX-License-Identifier: Apache-2.0
// where: two threads that run at the same time; succeeds if all see the mask that main saw at first.
#include <pthread.h>
#include <sched.h>

static cpu_set_t at_first;
static pthread_barrier_t both;

static void *look(void *unused)
{
    (void)unused;
    cpu_set_t now;
    pthread_barrier_wait(&both);
    int status = pthread_getaffinity_np(pthread_self(), sizeof now, &now);
    return status == 0 && CPU_EQUAL(&now, &at_first) ? &at_first : NULL;
}

int main(void)
{
    pthread_t threads[2];
    void *results[2] = {0};
    pthread_barrier_init(&both, NULL, 2);
    if (sched_getaffinity(0, sizeof at_first, &at_first) < 0)
        return 1;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, look, NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    return results[0] && results[1] ? 0 : 3;
}
