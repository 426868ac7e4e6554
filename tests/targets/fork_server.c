// SPDX-License-Identifier: Apache-2.0
// fork_server CHILDREN KIB: forks children that do not exec, one after the other and some side by side; each starts a
// thread and touches KIB. The server itself has a thread all the time. Exits with the number of children that failed.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIDE_BY_SIDE = 4 };

static size_t bytes;

static void *work(void *unused)
{
    (void)unused;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memset(memory, 1, bytes) : NULL;
}

static void *idle(void *unused)
{
    (void)unused;
    pause();
    return NULL;
}

static int child(void)
{
    pthread_t thread;
    void *memory = NULL;
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, &memory) != 0)
        return 1;
    return memory ? 0 : 1;
}

int main(int argc, char **argv)
{
    int children = argc > 1 ? atoi(argv[1]) : 8, running = 0, failed = 0;
    bytes = (argc > 2 ? strtoul(argv[2], NULL, 10) : 256) << 10;
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    for (int i = 0; i < children || running > 0;) {
        if (i < children && running < SIDE_BY_SIDE) {
            pid_t pid = fork();
            if (pid == 0)
                exit(child());
            running += pid > 0;
            i++;
        } else {
            int status;
            failed += wait(&status) < 0 || status != 0;
            running--;
        }
    }
    return failed;
}
