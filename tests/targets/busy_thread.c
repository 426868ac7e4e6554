// SPDX-License-Identifier: Apache-2.0
// A thread that works until it has used 300 ms of CPU time, while the main thread waits for it.
#include <pthread.h>
#include <time.h>

static void *work(void *unused)
{
    struct timespec used = {0};
    while (used.tv_sec == 0 && used.tv_nsec < 300000000)
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return unused;
}

int main(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}
