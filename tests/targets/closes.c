// SPDX-License-Identifier: Apache-2.0
// closes: closes every descriptor there may be, as daemons do, then works with threads, forks without exec and opens
// files that must get the lowest numbers.
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *unused)
{
    (void)unused;
    char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memset(memory, 1, 1 << 20) : NULL;
}

static int work_in_thread(void)
{
    pthread_t thread;
    void *memory = NULL;
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, &memory) != 0)
        return 1;
    return memory == NULL;
}

int main(void)
{
    int status = 0;
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    if (work_in_thread() != 0)
        return 1;
    if (open("/dev/null", O_RDWR) != 0 || open("/dev/null", O_RDWR) != 1)
        return 2;
    pid_t pid = fork();
    if (pid == 0)
        _exit(work_in_thread());
    return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 3;
}
