// SPDX-License-Identifier: Apache-2.0
// daemon FILE KIB: double-forks away with all descriptors closed, touches KIB in a thread and makes FILE. The program
// itself ends at once, with 3.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t bytes;

static void *work(void *unused)
{
    (void)unused;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memset(memory, 1, bytes) : NULL;
}

static int serve(const char *file)
{
    pthread_t thread;
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    return open(file, O_CREAT | O_WRONLY, 0600) < 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    bytes = strtoul(argv[2], NULL, 10) << 10;
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        if (fork() == 0)
            _exit(serve(argv[1]));
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return 3;
}
