// SPDX-License-Identifier: Apache-2.0
// everywhere [names]: calls every function that the preload library stands before in places where a program may call
// it, and says how each place was left. names: prints the functions instead. Of a thread with a pending cancellation,
// whoever is cancelled in a function that is no cancellation point says so by its silence.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <threads.h>
#include <unistd.h>

extern char **environ;
extern pid_t _Fork(void);
extern void free_sized(void *, size_t) __attribute__((weak));
extern void free_aligned_sized(void *, size_t, size_t) __attribute__((weak));
extern void numaprof_region_start(void) __attribute__((weak));
extern void numaprof_region_stop(void) __attribute__((weak));

enum { BIG = 1 << 20, PAGE = 4096, STACK = 1 << 16 };

static char *arguments[] = {"sh", "-c", "exit 7", NULL};
static cpu_set_t cpus;

static void write_text(const char *text)
{
    if (syscall(SYS_write, 1, text, strlen(text)) < 0)
        abort();
}

static void reap(pid_t pid)
{
    int status;
    while (pid > 0 && syscall(SYS_wait4, pid, &status, 0, NULL) != pid)
        continue;
}

static void *nothing(void *unused)
{
    return unused;
}

static int nothing_c11(void *unused)
{
    (void)unused;
    return 0;
}

static void end_child(pid_t pid)
{
    if (pid == 0)
        syscall(SYS_exit_group, 0);
    reap(pid);
}

static void make_thread(void)
{
    pthread_t thread;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &detached, nothing, NULL) != 0)
        abort();
    pthread_attr_destroy(&detached);
}

static void make_c11_thread(void)
{
    thrd_t thread;
    if (thrd_create(&thread, nothing_c11, NULL) != thrd_success || thrd_detach(thread) != thrd_success)
        abort();
}

static void spawn(int search)
{
    pid_t pid;
    if ((search ? posix_spawnp : posix_spawn)(&pid, search ? "sh" : "/bin/sh", NULL, NULL, arguments, environ) == 0)
        reap(pid);
}

static void make_clone(void)
{
    char *stack = malloc(STACK);
    reap(clone(nothing_c11, stack + STACK, SIGCHLD, NULL));
    free(stack);
}

static void remap(void)
{
    char *memory = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory = mremap(memory, BIG, BIG * 2, MREMAP_MAYMOVE);
    munmap(memory, BIG * 2);
}

static void map(void)
{
    munmap(mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), BIG);
}

static void read_attributes(void)
{
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0)
        pthread_attr_destroy(&attributes);
}

static void align(void)
{
    void *block = NULL;
    if (posix_memalign(&block, PAGE, BIG) == 0)
        free(block);
}

static void measure(void)
{
    void *block = malloc(BIG);
    if (malloc_usable_size(block) >= BIG)
        free(block);
}

static void execute_at(void)
{
    syscall(SYS_execveat, -100, "/bin/sh", arguments, environ, 0);
}

static void execute_descriptor(void)
{
    fexecve((int)syscall(SYS_openat, -100, "/bin/sh", 0), arguments, environ);
}

static void execute_in_folder(void)
{
    int (*call)(int, const char *, char **, char **, int) = dlsym(RTLD_DEFAULT, "execveat");
    if (call)
        call(-100, "/bin/sh", arguments, environ, 0);
    execute_at();
}

// What new and delete are named in C++; called where the C++ library is installed.
static void *symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static void call_new(const char *make, const char *end, int aligned, int is_nothrow)
{
    void *(*create)(size_t, size_t, size_t) = symbol(make);
    void (*destroy)(void *, size_t, size_t) = symbol(end);
    static const char nothrow;
    const size_t tag = (size_t)&nothrow;
    if (!create || !destroy)
        return;
    void *block = create(BIG, aligned ? PAGE : tag, tag);
    if (is_nothrow)
        destroy(block, aligned ? PAGE : tag, tag);
    else
        destroy(block, aligned ? PAGE : BIG, PAGE);
}

// Name, what is called; those that end the process have a place of their own.
#define CALLS(X)                                                                                                       \
    X(malloc, free(malloc(BIG)))                                                                                       \
    X(calloc, free(calloc(1, BIG)))                                                                                    \
    X(realloc, free(realloc(malloc(BIG), BIG * 2)))                                                                    \
    X(reallocarray, free(reallocarray(NULL, BIG, 1)))                                                                  \
    X(free, free(malloc(BIG)))                                                                                         \
    X(free_sized, if (free_sized) free_sized(malloc(BIG), BIG))                                                        \
    X(free_aligned_sized, if (free_aligned_sized) free_aligned_sized(aligned_alloc(PAGE, BIG), PAGE, BIG))             \
    X(aligned_alloc, free(aligned_alloc(PAGE, BIG)))                                                                   \
    X(memalign, free(memalign(PAGE, BIG)))                                                                             \
    X(valloc, free(valloc(BIG)))                                                                                       \
    X(pvalloc, free(pvalloc(BIG)))                                                                                     \
    X(posix_memalign, align())                                                                                         \
    X(malloc_usable_size, measure())                                                                                   \
    X(mmap, map())                                                                                                     \
    X(mmap64, map())                                                                                                   \
    X(munmap, map())                                                                                                   \
    X(mremap, remap())                                                                                                 \
    X(sched_getaffinity, sched_getaffinity(0, sizeof cpus, &cpus))                                                     \
    X(sched_setaffinity, sched_setaffinity(0, sizeof cpus, &cpus))                                                     \
    X(pthread_getaffinity_np, pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus))                              \
    X(pthread_setaffinity_np, pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus))                              \
    X(pthread_getattr_np, read_attributes())                                                                           \
    X(syscall, syscall(SYS_sched_getaffinity, 0, sizeof cpus, &cpus))                                                  \
    X(pthread_create, make_thread())                                                                                   \
    X(thrd_create, make_c11_thread())                                                                                  \
    X(prctl, prctl(PR_GET_DUMPABLE))                                                                                   \
    X(fork, end_child(fork()))                                                                                         \
    X(_Fork, end_child(_Fork()))                                                                                       \
    X(clone, make_clone())                                                                                             \
    X(posix_spawn, spawn(0))                                                                                           \
    X(posix_spawnp, spawn(1))                                                                                          \
    X(numaprof_region_start, if (numaprof_region_start) numaprof_region_start())                                       \
    X(numaprof_region_stop, if (numaprof_region_stop) numaprof_region_stop())                                          \
    X(_Znwm, call_new("_Znwm", "_ZdlPv", 0, 0))                                                                        \
    X(_Znam, call_new("_Znam", "_ZdaPv", 0, 0))                                                                        \
    X(_ZnwmRKSt9nothrow_t, call_new("_ZnwmRKSt9nothrow_t", "_ZdlPvRKSt9nothrow_t", 0, 1))                              \
    X(_ZnamRKSt9nothrow_t, call_new("_ZnamRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t", 0, 1))                              \
    X(_ZnwmSt11align_val_t, call_new("_ZnwmSt11align_val_t", "_ZdlPvSt11align_val_t", 1, 0))                           \
    X(_ZnamSt11align_val_t, call_new("_ZnamSt11align_val_t", "_ZdaPvSt11align_val_t", 1, 0))                           \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t,                                                                              \
      call_new("_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZdlPvSt11align_val_tRKSt9nothrow_t", 1, 1))                     \
    X(_ZnamSt11align_val_tRKSt9nothrow_t,                                                                              \
      call_new("_ZnamSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t", 1, 1))                     \
    X(_ZdlPvm, call_new("_Znwm", "_ZdlPvm", 0, 0))                                                                     \
    X(_ZdaPvm, call_new("_Znam", "_ZdaPvm", 0, 0))                                                                     \
    X(_ZdlPvmSt11align_val_t, call_new("_Znwm", "_ZdlPvmSt11align_val_t", 0, 0))                                       \
    X(_ZdaPvmSt11align_val_t, call_new("_Znam", "_ZdaPvmSt11align_val_t", 0, 0))                                       \
    X(_ZdlPv, call_new("_Znwm", "_ZdlPv", 0, 0))                                                                       \
    X(_ZdaPv, call_new("_Znam", "_ZdaPv", 0, 0))                                                                       \
    X(_ZdlPvRKSt9nothrow_t, call_new("_ZnwmRKSt9nothrow_t", "_ZdlPvRKSt9nothrow_t", 0, 1))                             \
    X(_ZdaPvRKSt9nothrow_t, call_new("_ZnamRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t", 0, 1))                             \
    X(_ZdlPvSt11align_val_t, call_new("_ZnwmSt11align_val_t", "_ZdlPvSt11align_val_t", 1, 0))                          \
    X(_ZdaPvSt11align_val_t, call_new("_ZnamSt11align_val_t", "_ZdaPvSt11align_val_t", 1, 0))                          \
    X(_ZdlPvSt11align_val_tRKSt9nothrow_t,                                                                             \
      call_new("_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZdlPvSt11align_val_tRKSt9nothrow_t", 1, 1))                     \
    X(_ZdaPvSt11align_val_tRKSt9nothrow_t,                                                                             \
      call_new("_ZnamSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t", 1, 1))

// Cancellation points by POSIX or glibc: called everywhere but with a cancellation pending.
#define POINTS(X)                                                                                                      \
    X(system, if (system("exit 7") == -1) abort())                                                                     \
    X(popen, pclose(popen("exit 7", "r")))

#define ENDS(X)                                                                                                        \
    X(execve, execve("/bin/sh", arguments, environ))                                                                   \
    X(execv, execv("/bin/sh", arguments))                                                                              \
    X(execvp, execvp("sh", arguments))                                                                                 \
    X(execvpe, execvpe("sh", arguments, environ))                                                                      \
    X(execl, execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL))                                                     \
    X(execlp, execlp("sh", "sh", "-c", "exit 7", (char *)NULL))                                                        \
    X(execle, execle("/bin/sh", "sh", "-c", "exit 7", (char *)NULL, environ))                                          \
    X(fexecve, execute_descriptor())                                                                                   \
    X(execveat, execute_in_folder())                                                                                   \
    X(_exit, _exit(7))                                                                                                 \
    X(_Exit, _Exit(7))                                                                                                 \
    X(quick_exit, quick_exit(7))                                                                                       \
    X(abort, abort())

#define DEFINE(name, call)                                                                                             \
    static void do_##name(void)                                                                                        \
    {                                                                                                                  \
        call;                                                                                                          \
    }
CALLS(DEFINE)
POINTS(DEFINE)
ENDS(DEFINE)

struct call {
    const char *name;
    void (*call)(void);
};
#define ENTRY(name, call) {#name, do_##name},
static const struct call calls[] = {CALLS(ENTRY)}, points[] = {POINTS(ENTRY)}, ends[] = {ENDS(ENTRY)};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void print_result(const char *place, const char *name, int status)
{
    printf("%s %s: %d\n", place, name, status);
    fflush(stdout);
}

// --- with a cancellation pending

static atomic_int is_ready, may_go;
static atomic_int has_returned;
static pid_t child;

static void await_cancel(void)
{
    atomic_store(&is_ready, 1);
    while (!atomic_load(&may_go))
        continue;
}

static void *call_cancelled(void *entry)
{
    const struct call *call = entry;
    await_cancel();
    call->call();
    atomic_store(&has_returned, 1);
    return NULL;
}

static void *end_cancelled(void *entry)
{
    const struct call *call = entry;
    await_cancel();
    child = fork();
    if (child == 0) {
        call->call();
        syscall(SYS_exit_group, 99);
    }
    atomic_store(&has_returned, 1);
    return NULL;
}

static void cancel(void *(*routine)(void *), const struct call *call)
{
    pthread_t thread;
    int status = 0;
    atomic_store(&is_ready, 0);
    atomic_store(&may_go, 0);
    atomic_store(&has_returned, 0);
    child = -1;
    if (pthread_create(&thread, NULL, routine, (void *)call) != 0)
        abort();
    while (!atomic_load(&is_ready))
        continue;
    pthread_cancel(thread);
    atomic_store(&may_go, 1);
    pthread_join(thread, NULL);
    if (child > 0)
        waitpid(child, &status, 0);
    print_result("cancelled", call->name, atomic_load(&has_returned) ? status : -1);
}

// --- in a signal handler, a child, a destructor of a thread

static const struct call *next_call;

static void call_in_handler(int unused)
{
    (void)unused;
    next_call->call();
}

static int call_in_child(void *unused)
{
    (void)unused;
    next_call->call();
    syscall(SYS_exit_group, 99);
    return 0;
}

static void await_child(const char *place, pid_t pid)
{
    int status = -1;
    if (pid > 0)
        waitpid(pid, &status, 0);
    print_result(place, next_call->name, status);
}

static void destroy(void *unused)
{
    (void)unused;
    next_call->call();
    write_text("destructor done\n");
}

static pthread_key_t key;

static void *leave_to_destructor(void *unused)
{
    (void)unused;
    pthread_setspecific(key, &key);
    return NULL;
}

static void call_everywhere(const struct call *call)
{
    static _Alignas(16) char stack[BIG];
    pthread_t thread;
    next_call = call;
    raise(SIGUSR1);
    print_result("handler", call->name, 0);
    pid_t pid = fork();
    if (pid == 0)
        call_in_child(NULL);
    await_child("fork", pid);
    await_child("clone", clone(call_in_child, stack + sizeof stack, SIGCHLD, NULL));
    if (pthread_create(&thread, NULL, leave_to_destructor, NULL) == 0)
        pthread_join(thread, NULL);
    print_result("destructor", call->name, 0);
}

static void end_everywhere(const struct call *call)
{
    static _Alignas(16) char stack[BIG];
    next_call = call;
    pid_t pid = fork();
    if (pid == 0) {
        raise(SIGUSR1);
        syscall(SYS_exit_group, 99);
    }
    await_child("handler", pid);
    pid = fork();
    if (pid == 0)
        call_in_child(NULL);
    await_child("fork", pid);
    await_child("clone", clone(call_in_child, stack + sizeof stack, SIGCHLD, NULL));
    await_child("vfork", clone(call_in_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "names") == 0) {
#define NAME(name, call) puts(#name);
        CALLS(NAME)
        POINTS(NAME)
        ENDS(NAME)
        return 0;
    }
    dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
    sched_getaffinity(0, sizeof cpus, &cpus);
    pthread_key_create(&key, destroy);
    signal(SIGUSR1, call_in_handler);
    for (size_t i = 0; i < COUNT(calls); i++) {
        cancel(call_cancelled, &calls[i]);
        call_everywhere(&calls[i]);
    }
    for (size_t i = 0; i < COUNT(points); i++)
        call_everywhere(&points[i]);
    for (size_t i = 0; i < COUNT(ends); i++) {
        cancel(end_cancelled, &ends[i]);
        end_everywhere(&ends[i]);
    }
    return 0;
}
