// SPDX-License-Identifier: Apache-2.0
// seated: two threads that run at the same time print the kernel's word on where each may run, main first.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_barrier_t both;

// From /proc: the C library's functions hide pins.
static void print_allowed(const char *who)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", syscall(SYS_gettid));
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "Cpus_allowed_list:", 18) == 0)
            printf("%s %s", who, line + 19);
    if (status)
        fclose(status);
}

static void *sit(void *unused)
{
    (void)unused;
    print_allowed("thread");
    pthread_barrier_wait(&both);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&thread, NULL, sit, NULL) != 0)
        return 1;
    pthread_barrier_wait(&both);
    print_allowed("main");
    pthread_join(thread, NULL);
    return 0;
}
