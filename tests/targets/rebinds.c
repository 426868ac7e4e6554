// SPDX-License-Identifier: Apache-2.0
// rebinds [CPU]: binds itself to each of its CPUs in turn and then sets back the mask that it had read, as hwloc does,
// before its threads and in each of two; then binds itself to CPU, if given, and starts a third. The second thread also
// sets the mask that it reads of the first. Prints how many CPUs each thread may use at its end.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;
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

static void *work(void *is_second)
{
    cpu_set_t mask;
    rebind();
    pthread_barrier_wait(&both);
    if (is_second && pthread_getaffinity_np(first, sizeof mask, &mask) == 0)
        pthread_setaffinity_np(first, sizeof mask, &mask);
    pthread_barrier_wait(&both);
    print_cpus();
    return NULL;
}

static void *look(void *unused)
{
    print_cpus();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t second;
    rebind();
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&first, NULL, work, NULL) != 0 || pthread_create(&second, NULL, work, &second) != 0)
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
