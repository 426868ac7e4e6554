// SPDX-License-Identifier: Apache-2.0
// A process whose leading thread has ended: its process id is the id of no thread that runs.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *run(void *unused)
{
    puts("ready");
    fflush(stdout);
    pause();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_exit(NULL);
}
