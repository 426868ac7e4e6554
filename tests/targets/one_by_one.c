// SPDX-License-Identifier: Apache-2.0
// one_by_one: each of four threads begins when the one before has ended, and prints the CPU where it may run.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// From /proc: the C library's functions hide pins.
static void *sit(void *unused)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", syscall(SYS_gettid));
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "Cpus_allowed_list:", 18) == 0)
            printf("%s", line + 19);
    if (status)
        fclose(status);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sit, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}
