// SPDX-License-Identifier: Apache-2.0
// Keeps our pins out of the program's sight: who asks for a mask gets the one the process came with, so that
// omp_get_num_procs and the like see all CPUs; who sets one gets it, and we leave the thread alone until it sets the
// process's mask again.
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/preload.h"

// A mask of our plan, as a thread of ours has it: exactly its CPU, or the main thread's node.
static bool affinity_is_our_pin(const struct cpulist *mask)
{
    const _Atomic uint32_t *slot_users = preload_slot_users();
    if (!slot_users)
        return false;
    if (cpulist_count(mask) != 1)
        return preload_is_main_node(mask);
    const int only = cpulist_next(mask, 0);
    const struct channel_settings *settings = preload_settings();
    for (uint32_t i = 0; i < settings->slot_count; i++)
        if (settings->slots[i] == only && atomic_load(&slot_users[i]) > 0)
            return true;
    return preload_is_main_node(mask);
}

static bool affinity_of_caller(pid_t tid)
{
    return tid == 0 || tid == (pid_t)syscall(SYS_gettid);
}

// Whether the thread with this mask is to see the process's mask instead. Of other threads than the caller only the
// mask is known here; one that chose a single CPU of the plan for itself sees too much.
static bool affinity_hidden(bool is_caller, const struct cpulist *mask)
{
    return preload_slot_users() && (is_caller ? preload_is_bound() : affinity_is_our_pin(mask));
}

static void affinity_show(size_t size, void *set)
{
    memcpy(set, preload_process_mask(), size < sizeof(struct cpulist) ? size : sizeof(struct cpulist));
}

static __attribute__((noinline)) bool affinity_hidden_of(pid_t tid)
{
    struct cpulist mask;
    if (!preload_slot_users())
        return false;
    const bool is_caller = affinity_of_caller(tid);
    return (is_caller || thread_mask_get(tid, &mask) == 0) && affinity_hidden(is_caller, &mask);
}

// The kernel refuses a buffer smaller than its masks; so do we, by asking it first with the caller's size. Returns the
// number of bytes that it wrote.
static long affinity_get(pid_t tid, size_t size, void *set)
{
    const long bytes = syscall(SYS_sched_getaffinity, tid, size, set);
    if (bytes > 0 && affinity_hidden_of(tid))
        affinity_show((size_t)bytes, set);
    return bytes;
}

PRELOAD_EXPORT int sched_getaffinity(pid_t tid, size_t size, cpu_set_t *set)
{
    const int status = PRELOAD_NEXT(sched_getaffinity)(tid, size, set);
    if (status == 0 && affinity_hidden_of(tid)) {
        memset(set, 0, size);
        affinity_show(size, set);
    }
    return status;
}

PRELOAD_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
    int status = PRELOAD_NEXT(pthread_getaffinity_np)(thread, size, set);
    if (status != 0 || !preload_slot_users())
        return status;
    struct cpulist mask = {0};
    memcpy(&mask, set, size < sizeof mask ? size : sizeof mask);
    if (affinity_hidden(pthread_equal(thread, pthread_self()), &mask)) {
        memset(set, 0, size);
        affinity_show(size, set);
    }
    return status;
}

// As large as the kernel's masks, which is what the C library puts there. noinline: two masks of 1 KiB.
static __attribute__((noinline)) void affinity_show_attributes(pthread_t thread, pthread_attr_t *attributes)
{
    struct cpulist mask;
    const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask);
    if (bytes <= 0 || pthread_attr_getaffinity_np(attributes, sizeof mask, (cpu_set_t *)&mask) != 0 ||
        !affinity_hidden(pthread_equal(thread, pthread_self()), &mask))
        return;
    affinity_show(sizeof mask, &mask);
    pthread_attr_setaffinity_np(attributes, (size_t)bytes, (const cpu_set_t *)&mask);
}

PRELOAD_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    const int status = PRELOAD_NEXT(pthread_getattr_np)(thread, attributes);
    if (status == 0 && preload_slot_users())
        affinity_show_attributes(thread, attributes);
    return status;
}

// Whether the calling thread has the process's mask now. That is no choice: it is what every thread of the program is
// shown. hwloc, for one, binds its caller to each CPU in turn and then sets back the mask that it had read before.
// noinline: a mask is 1 KiB, which the stack need not hold any longer than this.
static __attribute__((noinline)) bool affinity_is_whole(void)
{
    struct cpulist mask;
    return thread_mask_get(0, &mask) == 0 && memcmp(&mask, preload_process_mask(), sizeof mask) == 0;
}

static __attribute__((noinline)) void affinity_list(char *out, size_t room, size_t size, const cpu_set_t *set)
{
    struct cpulist mask = {0};
    memcpy(&mask, set, size < sizeof mask ? size : sizeof mask);
    cpulist_format(out, room, &mask);
}

// Whether the mask that one thread sets for another of its process changes nothing that may be seen: it is the one that
// all are shown, and no thread of the process has had a choice of its own. So the other one, which has the mask now,
// sits where we pinned it, or has the whole mask.
static __attribute__((noinline)) bool affinity_is_shown(const struct cpulist *now, size_t size, const cpu_set_t *set)
{
    struct cpulist wanted = {0};
    if (!preload_slot_users() || preload_any_choice())
        return false;
    memcpy(&wanted, set, size < sizeof wanted ? size : sizeof wanted);
    const struct cpulist *shown = preload_process_mask();
    return memcmp(&wanted, shown, sizeof wanted) == 0 &&
           (memcmp(now, shown, sizeof *now) == 0 || affinity_is_our_pin(now));
}

static __attribute__((noinline)) bool affinity_is_shown_of(pid_t tid, size_t size, const cpu_set_t *set)
{
    struct cpulist now;
    return syscall(SYS_tgkill, getpid(), tid, 0) == 0 && thread_mask_get(tid, &now) == 0 &&
           affinity_is_shown(&now, size, set);
}

static __attribute__((noinline)) bool affinity_is_shown_of_thread(pthread_t thread, size_t size, const cpu_set_t *set)
{
    struct cpulist now = {0};
    return PRELOAD_NEXT(pthread_getaffinity_np)(thread, sizeof now, (cpu_set_t *)&now) == 0 &&
           affinity_is_shown(&now, size, set);
}

// tid 0: not known here, the recorder finds out by looking.
static void affinity_chosen(pid_t tid, bool by_caller_for_itself, size_t size, const cpu_set_t *set)
{
    char list[CHANNEL_TEXT];
    if (by_caller_for_itself && !preload_program_pins() && affinity_is_whole()) {
        preload_no_choice();
        return;
    }
    affinity_list(list, sizeof list, size, set);
    if (by_caller_for_itself)
        preload_own_choice();
    preload_choice_made();
    preload_send((struct preload_note){.kind = CHANNEL_AFFINITY, .cpu = -1, .a = tid, .text = list});
}

static long affinity_set(pid_t tid, size_t size, const void *set)
{
    if (preload_is_filtered())
        return syscall(SYS_sched_setaffinity, tid, size, set);
    const bool self = affinity_of_caller(tid);
    if (!self && affinity_is_shown_of(tid, size, set))
        return 0;
    const long status = syscall(SYS_sched_setaffinity, tid, size, set);
    if (status == 0)
        affinity_chosen(self ? (pid_t)syscall(SYS_gettid) : tid, self, size, set);
    return status;
}

PRELOAD_EXPORT int sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *set)
{
    return (int)affinity_set(tid, size, set);
}

PRELOAD_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    __typeof__(&pthread_setaffinity_np) set_next = PRELOAD_NEXT(pthread_setaffinity_np);
    const bool self = pthread_equal(thread, pthread_self());
    if (preload_is_filtered())
        return set_next(thread, size, set);
    if (!self && affinity_is_shown_of_thread(thread, size, set))
        return 0;
    int status = set_next(thread, size, set);
    if (status == 0)
        affinity_chosen(self ? (pid_t)syscall(SYS_gettid) : 0, self, size, set);
    return status;
}

// libnuma and LLVM's OpenMP ask the kernel by syscall().
#undef syscall
PRELOAD_EXPORT long syscall(long number, ...);

PRELOAD_EXPORT long syscall(long number, ...)
{
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    switch (number) {
    case SYS_sched_getaffinity:
        return affinity_get((pid_t)a[0], (size_t)a[1], (void *)a[2]);
    case SYS_sched_setaffinity:
        return affinity_set((pid_t)a[0], (size_t)a[1], (const void *)a[2]);
    case SYS_seccomp:
    case SYS_prctl:
        return preload_seccomp_call(number, a);
    default:
        return preload_fork_call(number, a);
    }
}
