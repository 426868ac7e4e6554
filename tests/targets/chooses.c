// SPDX-License-Identifier: Apache-2.0
// chooses CPU: a thread that moves itself to CPU, one whose attributes say so, and one that leaves it to others.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static cpu_set_t wanted;

static void *moves(void *unused)
{
    (void)unused;
    return sched_setaffinity(0, sizeof wanted, &wanted) == 0 ? &wanted : NULL;
}

static void *stays(void *unused)
{
    (void)unused;
    return &wanted;
}

static int run(const pthread_attr_t *attributes, void *(*routine)(void *))
{
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, attributes, routine, NULL) != 0 || pthread_join(thread, &result) != 0)
        return 1;
    return result == NULL;
}

int main(int argc, char **argv)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &wanted);
    pthread_attr_setaffinity_np(&attributes, sizeof wanted, &wanted);
    return run(NULL, moves) + run(&attributes, stays) + run(NULL, stays);
}
