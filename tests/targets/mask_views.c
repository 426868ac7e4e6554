// SPDX-License-Identifier: Apache-2.0
// mask_views [raw]: how many CPUs main sees in each way there is to read its mask, and which ones its children have
// that it makes in each way; before it makes a thread, as a thread, and after that. raw: prints the mask of main as
// /proc shows it instead, which hides nothing: at first, with a choice of its own, with the first mask again, after an
// exec that failed, and after the first thread was made.
// -DLIBRARY: a library that reads the mask in /proc when it is loaded, as libnuma does; -DLINKED: a program with it.
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
extern pid_t _Fork(void);

static const char *read_proc(void)
{
    static char line[256];
    FILE *status = fopen("/proc/thread-self/status", "re");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "Cpus_allowed_list:\t", 19) == 0)
            break;
    if (status)
        fclose(status);
    line[strcspn(line, "\n")] = '\0';
    return line + 19;
}

#ifdef LIBRARY
extern const char *loaded_with(void);
static char mask[256];

__attribute__((constructor)) static void load(void)
{
    snprintf(mask, sizeof mask, "%s", read_proc());
}

const char *loaded_with(void)
{
    return mask;
}
#else

#ifdef LINKED
extern const char *loaded_with(void);
#else
static const char *loaded_with(void)
{
    return "";
}
#endif

static void print_attributes(pthread_t thread)
{
    pthread_attr_t attributes;
    cpu_set_t cpus;
    if (pthread_getattr_np(thread, &attributes) != 0)
        return;
    if (pthread_attr_getaffinity_np(&attributes, sizeof cpus, &cpus) == 0)
        printf(" attributes %d", CPU_COUNT(&cpus));
    pthread_attr_destroy(&attributes);
}

static void print_views(const char *who)
{
    cpu_set_t cpus;
    printf("%s:", who);
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        printf(" sched %d", CPU_COUNT(&cpus));
    if (sched_getaffinity(getpid(), sizeof cpus, &cpus) == 0)
        printf(" main's %d", CPU_COUNT(&cpus));
    if (pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus) == 0)
        printf(" pthread %d", CPU_COUNT(&cpus));
    CPU_ZERO(&cpus);
    const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof cpus, &cpus);
    printf(" syscall %d in %ld bytes", CPU_COUNT(&cpus), bytes);
    printf(" refused %d", sched_getaffinity(0, 1, &cpus));
    print_attributes(pthread_self());
    printf(" online %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
    fflush(stdout);
}

static void wait_for(const char *who, pid_t pid)
{
    int status = -1;
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        printf("%s failed: %d\n", who, status);
    fflush(stdout);
}

static int look_as_child(void *who)
{
    printf("%s: %s\n", (const char *)who, read_proc());
    fflush(stdout);
    return 0;
}

static void make_child(const char *who, pid_t pid)
{
    if (pid == 0)
        _exit(look_as_child((void *)who));
    wait_for(who, pid);
}

static char script[] = "grep Cpus_allowed_list /proc/self/status";
static char *const command[] = {"sh", "-c", script, NULL};

static void make_children(void)
{
    static _Alignas(16) char stack[65536], vm_stack[65536];
    pid_t pid;
    make_child("fork", fork());
    make_child("_Fork", _Fork());
    make_child("syscall clone", (pid_t)syscall(SYS_clone, (long)SIGCHLD, NULL, NULL, NULL, NULL));
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    make_child("syscall clone3", (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments));
    wait_for("clone", clone(look_as_child, stack + sizeof stack, SIGCHLD, "clone"));
    pid = clone(look_as_child, vm_stack + sizeof vm_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, "clone vm");
    wait_for("clone vm", pid);
    if (posix_spawn(&pid, "/bin/sh", NULL, NULL, command, environ) == 0)
        wait_for("spawn", pid);
    pid = vfork();
    if (pid == 0) {
        execv("/bin/sh", command);
        _exit(127);
    }
    wait_for("vfork", pid);
    if (system(script) != 0)
        printf("system failed\n");
    fflush(stdout);
}

static void *as_thread(void *unused)
{
    (void)unused;
    print_views("thread");
    make_children();
    return NULL;
}

static void make_thread(const pthread_attr_t *attributes)
{
    pthread_t thread;
    if (pthread_create(&thread, attributes, as_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

// With the mask that main is shown in its attributes.
static void make_thread_like_main(void)
{
    pthread_attr_t main_attributes, attributes;
    cpu_set_t cpus;
    if (pthread_getattr_np(pthread_self(), &main_attributes) != 0)
        return;
    pthread_attr_init(&attributes);
    if (pthread_attr_getaffinity_np(&main_attributes, sizeof cpus, &cpus) == 0 &&
        pthread_attr_setaffinity_np(&attributes, sizeof cpus, &cpus) == 0)
        make_thread(&attributes);
    pthread_attr_destroy(&attributes);
    pthread_attr_destroy(&main_attributes);
}

static void print_main(void)
{
    printf("%s\n", read_proc());
    fflush(stdout);
}

static void *nothing(void *unused)
{
    return unused;
}

static void print_truth(void)
{
    cpu_set_t cpus, one;
    pthread_t thread;
    CPU_ZERO(&one);
    print_main();
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return;
    for (int cpu = CPU_SETSIZE - 1; CPU_COUNT(&one) == 0; cpu--)
        if (CPU_ISSET(cpu, &cpus))
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    print_main();
    sched_setaffinity(0, sizeof cpus, &cpus);
    print_main();
    execl("/nonexistent", "nonexistent", (char *)NULL);
    print_main();
    if (pthread_create(&thread, NULL, nothing, NULL) == 0)
        pthread_join(thread, NULL);
    print_main();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "raw") == 0) {
        print_truth();
        return 0;
    }
    printf("loaded with %s\n", loaded_with());
    print_views("main");
    make_children();
    make_thread(NULL);
    make_thread_like_main();
    print_views("after");
    make_children();
    return 0;
}
#endif
