// SPDX-License-Identifier: Apache-2.0
// rebinds [CPU]: binds itself to each of its CPUs in turn and then sets back the mask that it had read, as hwloc does,
// before its threads and in each of two that live at the same time; the second one has that mask in its attributes too.
// Then binds itself to CPU, if given, and starts a third. Prints how many CPUs each thread may use at its end.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t both;

static void print_cpus(void)
{
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    printf("%d\n", CPU_COUNT(&mask));
}

static void rebind(void)
{
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(cpu, &only);
        if (CPU_ISSET(cpu, &mask) && sched_setaffinity(0, sizeof only, &only) != 0)
            abort();
    }
    if (pthread_setaffinity_np(pthread_self(), sizeof mask, &mask) != 0)
        abort();
}

static void *work(void *unused)
{
    pthread_barrier_wait(&both);
    rebind();
    print_cpus();
    return unused;
}

static void *look(void *unused)
{
    print_cpus();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t first, second;
    pthread_attr_t whole;
    cpu_set_t mask;
    rebind();
    sched_getaffinity(0, sizeof mask, &mask);
    pthread_attr_init(&whole);
    pthread_attr_setaffinity_np(&whole, sizeof mask, &mask);
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&first, NULL, work, NULL) != 0 || pthread_create(&second, &whole, work, NULL) != 0)
        return 1;
    pthread_join(second, NULL);
    pthread_join(first, NULL);
    if (argc > 1) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(atoi(argv[1]), &only);
        if (sched_setaffinity(0, sizeof only, &only) != 0 || pthread_create(&first, NULL, look, NULL) != 0)
            return 2;
        pthread_join(first, NULL);
    }
    print_cpus();
    return 0;
}
