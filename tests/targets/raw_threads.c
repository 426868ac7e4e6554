// SPDX-License-Identifier: Apache-2.0
// raw_threads MS: makes a thread by clone(2) itself, behind the C library's back, and lets it work now and then for MS.
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 64 << 10 };

static atomic_int done;
static double work_ms;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// By the system call: the thread has no memory of its own for what the library keeps of each thread.
static void rest(void)
{
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 1000000}, NULL);
}

static int work(void *unused)
{
    (void)unused;
    for (double end = now_ms() + work_ms; now_ms() < end;)
        rest();
    atomic_store(&done, 1);
    return 0;
}

int main(int argc, char **argv)
{
    work_ms = argc > 1 ? atof(argv[1]) : 100;
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    if (stack == MAP_FAILED || clone(work, stack + STACK, flags, NULL) < 0)
        return 1;
    while (!atomic_load(&done))
        rest();
    return 0;
}
