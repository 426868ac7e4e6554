// SPDX-License-Identifier: Apache-2.0
// sits THREADS [stdin]: waits until every thread's mask, as /proc tells it, is one CPU (at most 20 s); prints how
// many CPUs each has. A new thread has the mask of its creator until it is pinned itself. stdin: first waits for the
// end of its input.
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t all_run;

static void *idle(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&all_run);
    pause();
    return NULL;
}

// Of the line "Cpus_allowed:\t00000003".
static int count_bits(const char *digits)
{
    int bits = 0;
    for (; *digits && *digits != '\n'; digits++)
        bits += __builtin_popcountl(strtoul((const char[]){*digits, '\0'}, NULL, 16));
    return bits;
}

static int cpus_of(const char *task)
{
    char path[300], line[512];
    int cpus = -1;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "Cpus_allowed:\t", 14) == 0)
            cpus = count_bits(line + 14);
    if (status)
        fclose(status);
    return cpus;
}

// Returns whether all have one CPU.
static int look(int print)
{
    int all = 1;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        if (entry->d_name[0] == '.')
            continue;
        int cpus = cpus_of(entry->d_name);
        all &= cpus == 1;
        if (print)
            printf("%d\n", cpus);
    }
    if (tasks)
        closedir(tasks);
    return all;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    pthread_barrier_init(&all_run, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread, NULL, idle, NULL) != 0)
            return 1;
    pthread_barrier_wait(&all_run);
    while (argc > 2 && getchar() != EOF)
        ;
    for (int i = 0; i < 2000 && !look(0); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    look(1);
    fflush(stdout);
    _exit(0);
}
