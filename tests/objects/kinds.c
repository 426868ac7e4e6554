// SPDX-License-Identifier: Apache-2.0
// Memory of every kind, each 1 MiB (MIB; the function's name says which), touched once at the line marked.
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20, PAGE = 4096 };

// Returns when the recorder has come so far: an object's faults find room in its ring, however busy the host is.
extern void numaprof_region_start(void) __attribute__((weak));

static volatile char static_array[MIB];
static volatile char filled_array[MIB] = {1};
static __thread volatile char thread_array[MIB];

__attribute__((noinline)) static void touch(volatile char *block)
{
    if (numaprof_region_start)
        numaprof_region_start();
    for (size_t i = 0; block && i < MIB; i += PAGE)
        block[i] = 1; // touch
}

__attribute__((noinline)) static void by_malloc(void) { touch(malloc(MIB)); }
__attribute__((noinline)) static void by_calloc(void) { touch(calloc(MIB / 8, 8)); }
__attribute__((noinline)) static void by_realloc(void) { touch(realloc(malloc(100), MIB)); }
__attribute__((noinline)) static void by_reallocarray(void) { touch(reallocarray(NULL, MIB / 8, 8)); }
__attribute__((noinline)) static void by_aligned_alloc(void) { touch(aligned_alloc(4096, MIB)); }
__attribute__((noinline)) static void by_memalign(void) { touch(memalign(64, MIB)); }
__attribute__((noinline)) static void by_valloc(void) { touch(valloc(MIB)); }

__attribute__((noinline)) static void by_posix_memalign(void)
{
    void *block = NULL;
    if (posix_memalign(&block, 64, MIB) == 0)
        touch(block);
}

__attribute__((noinline)) static void by_mmap(void)
{
    touch(mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

__attribute__((noinline)) static void by_shared_mmap(void)
{
    touch(mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

__attribute__((noinline)) static void by_memset(void)
{
    void *block = malloc(MIB);
    if (block)
        memset(block, 1, MIB); // memset
    __asm__ volatile("" : : "r"(block) : "memory");
}

__attribute__((noinline)) static void by_file(void)
{
    char name[] = "kinds.XXXXXX";
    int fd = mkstemp(name);
    if (fd >= 0 && ftruncate(fd, MIB) == 0)
        touch(mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    unlink(name);
}

// The same addresses again and again, under two names.
__attribute__((noinline)) static void by_reuse(void)
{
    char *first = malloc(MIB);
    touch(first);
    free(first);
    char *second = malloc(2 * MIB);
    touch(second);
    free(second);
}

__attribute__((noinline)) static void *in_thread(void *argument)
{
    volatile char on_stack[MIB];
    touch(on_stack);
    touch(thread_array);
    return argument;
}

int main(void)
{
    pthread_t thread;
    mallopt(M_MMAP_THRESHOLD, 256 << 10); // else the heap gives memory that was touched before
    by_malloc();
    by_calloc();
    by_realloc();
    by_reallocarray();
    by_aligned_alloc();
    by_posix_memalign();
    by_memalign();
    by_valloc();
    by_mmap();
    by_shared_mmap();
    by_memset();
    by_file();
    by_reuse();
    touch(static_array);
    touch(filled_array);
    if (pthread_create(&thread, NULL, in_thread, NULL) == 0)
        pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        by_malloc();
        exit(0);
    }
    return child < 0 || waitpid(child, NULL, 0) < 0;
}
