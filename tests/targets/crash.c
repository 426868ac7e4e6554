// SPDX-License-Identifier: Apache-2.0
// crash: two threads touch 4 MiB each, then the program dies by a signal while they live.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 4 << 20 };

static pthread_barrier_t touched;

static void *touch(void *unused)
{
    (void)unused;
    char *memory = malloc(BYTES);
    if (memory)
        memset(memory, 1, BYTES);
    pthread_barrier_wait(&touched);
    pause();
    return memory;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&touched, NULL, 3);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, touch, NULL) != 0)
            return 1;
    pthread_barrier_wait(&touched);
    raise(SIGSEGV);
    return 0;
}
