// SPDX-License-Identifier: Apache-2.0
// rebinds_others [CPU]: two threads run; CPU: the first binds itself to that. Then main sets back the mask that it was
// shown, for one by the thread's number, for the other by its handle. Prints how many CPUs each thread is shown; to
// stderr, how many the kernel lets it use, by /proc.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_barrier_t step;
static int chosen = -1;

static int count_real(void)
{
    char line[256];
    int count = 0;
    FILE *status = fopen("/proc/thread-self/status", "re");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "Cpus_allowed:\t", 14) == 0)
            for (const char *digit = line + 14; *digit && *digit != '\n'; digit++)
                count += __builtin_popcountl(strtoul((const char[]){*digit, '\0'}, NULL, 16));
    if (status)
        fclose(status);
    return count;
}

static void *work(void *tid)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (tid) {
        *(pid_t *)tid = (pid_t)syscall(SYS_gettid);
        CPU_SET(chosen < 0 ? 0 : chosen, &mask);
        if (chosen >= 0 && sched_setaffinity(0, sizeof mask, &mask) != 0)
            abort();
    }
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step); // main has set the masks
    sched_getaffinity(0, sizeof mask, &mask);
    printf("%d\n", CPU_COUNT(&mask));
    fprintf(stderr, "%d\n", count_real());
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t by_number, by_handle;
    pid_t tid = 0;
    cpu_set_t mask;
    chosen = argc > 1 ? atoi(argv[1]) : -1;
    pthread_barrier_init(&step, NULL, 3);
    if (pthread_create(&by_number, NULL, work, &tid) != 0 || pthread_create(&by_handle, NULL, work, NULL) != 0)
        return 1;
    pthread_barrier_wait(&step);
    sched_getaffinity(0, sizeof mask, &mask);
    if (sched_setaffinity(tid, sizeof mask, &mask) != 0 || pthread_setaffinity_np(by_handle, sizeof mask, &mask) != 0)
        return 2;
    pthread_barrier_wait(&step);
    pthread_join(by_number, NULL);
    pthread_join(by_handle, NULL);
    return 0;
}
